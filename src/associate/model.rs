//! A model: the trees of all classes, with what they ask, and the texts that show it.
//!
//! It stands alone: the grammar is in it, so a model explains, predicts and aims without the files that it came from. Classes that the same texts
//! are in share a tree. Of each tree a second one is learned without every fourth text, and tried on those: that says how far the
//! tree can be trusted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use pleach_core::{Grammar, Graph, KPaths, kpath};

use crate::columns::Columns;
use crate::features::{Extractor, Feature, FeatureVector, Features};
use crate::learn::{Balance, Learner, bit};
use crate::tree::Tree;

/// Every so many-th text is left out of what the trial tree is learned from.
const TRIED: usize = 4;
/// The features that are remembered beside one that stands for them.
const MAX_MERGED: usize = 64;

/// What the classes of a model are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Of {
    /// The functions that a text reaches.
    Functions,
    /// Whether the program accepts a text.
    Verdict,
    /// Where the program panics.
    Crashes,
    /// Whether a text is among the slowest.
    Slow,
}

/// Where a class is in the program's source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Its first line, from 1.
    pub line: u32,
    /// Its last line.
    pub last_line: u32,
}

/// A name for texts that have something in common, such as a function that they reach.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Class {
    /// The name.
    pub name: String,
    /// Where it is in the source, if it is.
    pub place: Option<Place>,
    /// The package that it is of; empty if unknown.
    pub package: String,
    /// Whether it is of the program that is tested, rather than of a library.
    pub is_own: bool,
}

/// How often a tree was right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Confusion {
    /// Members that it says are members.
    pub true_positives: u64,
    /// Others that it says are members.
    pub false_positives: u64,
    /// Members that it says are not.
    pub false_negatives: u64,
    /// Others that it says are not.
    pub true_negatives: u64,
}

impl Confusion {
    /// Counts a text.
    pub fn add(&mut self, is_member: bool, is_said: bool) {
        let count = match (is_member, is_said) {
            (true, true) => &mut self.true_positives,
            (false, true) => &mut self.false_positives,
            (true, false) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        };
        *count += 1;
    }

    /// Counts all that another has counted.
    pub fn union(&mut self, other: &Confusion) {
        self.true_positives += other.true_positives;
        self.false_positives += other.false_positives;
        self.false_negatives += other.false_negatives;
        self.true_negatives += other.true_negatives;
    }

    /// All texts.
    pub fn total(&self) -> u64 {
        self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
    }

    /// The share of texts of which it said what they are.
    pub fn accuracy(&self) -> Option<f64> {
        share(self.true_positives + self.true_negatives, self.total())
    }

    /// The share of members among those that it said are members.
    pub fn precision(&self) -> Option<f64> {
        share(
            self.true_positives,
            self.true_positives + self.false_positives,
        )
    }

    /// The share of members that it said are.
    pub fn recall(&self) -> Option<f64> {
        share(
            self.true_positives,
            self.true_positives + self.false_negatives,
        )
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A feature that trees of a model ask for.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// The feature.
    pub feature: Feature,
    /// Others that the same texts had, all of them or the first ones.
    pub merged: Vec<Feature>,
}

/// The tree of one class or of several, with examples.
#[derive(Clone, PartialEq, Debug)]
pub struct Taught {
    /// The tree, which asks for features by their number in [`Model::asked`].
    pub tree: Tree,
    /// For each node, the smallest member and the smallest other text that came there, by their number in [`Model::texts`].
    pub examples: Vec<[Option<u32>; 2]>,
    /// How often a tree was right about every fourth text that was learned from the others.
    pub trial: Confusion,
}

/// A class of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The class.
    pub class: Class,
    /// The texts that are in it.
    pub members: u32,
    /// The number of its tree in [`Model::taught`].
    pub tree: u32,
}

/// What a model was made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// What its classes are.
    pub of: Of,
    /// The target.
    pub target: String,
    /// What tells this build of the target from others.
    pub build: String,
    /// Whether the inputs of the target are texts, rather than choice sequences.
    pub is_text: bool,
}

/// What in the input goes with what in the program.
#[derive(Clone)]
pub struct Model {
    pub(crate) kpaths: Arc<KPaths>,
    pub(crate) features: Features,
    pub(crate) origin: Origin,
    pub(crate) asked: Vec<Asked>,
    pub(crate) taught: Vec<Taught>,
    pub(crate) known: Vec<Known>,
    pub(crate) texts: Vec<Vec<u8>>,
    pub(crate) text_count: u32,
    pub(crate) always: Vec<Class>,
    pub(crate) never: u32,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Model({} trees of {} classes)",
            self.taught.len(),
            self.known.len()
        )
    }
}

/// A class, and the texts that are in it: bit `i % 64` of word `i / 64` is that of text i.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Labeled {
    /// The class.
    pub class: Class,
    /// Its members.
    pub members: Vec<u64>,
}

/// Learning a model, step by step, so that trees can be learned side by side.
///
/// ```
/// use pleach_associate::features::Reader;
/// use pleach_associate::model::{Class, Labeled, Of, Origin, Teacher};
/// use pleach_associate::{Balance, Extractor, Features};
/// use pleach_core::{Grammar, Graph};
///
/// let grammar: Grammar = "sum := term ('+' term)*; term := [0-9] | '(' sum ')';".parse()?;
/// let extractor = Extractor::new(&Graph::new(grammar)?, 2, Features::All)?;
/// let texts = ["1", "(1)", "1+(2)", "1+2", "(1+2)"];
/// let mut reader = Reader::default();
/// let vectors = texts.map(|text| extractor.extract(text.as_bytes(), &mut reader).unwrap());
///
/// // The first text is bit 0: the second, third and fifth are in the class.
/// let class = Class { name: "group".into(), ..Class::default() };
/// let classes = [Labeled { class, members: vec![0b10110] }];
/// let teacher = Teacher::new(&extractor, &vectors, classes.to_vec(), Balance::default(), 0);
/// let trees = (0..teacher.trees()).map(|at| teacher.teach(at)).collect();
/// let origin = Origin { of: Of::Functions, target: "sums".into(), build: String::new(), is_text: true };
/// let model = teacher.finish(trees, origin, &texts.map(|text| text.as_bytes().to_vec()));
///
/// let vector = extractor.extract(b"((7))", &mut reader).unwrap();
/// assert!(model.predicts(0, &model.answers(&vector)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Teacher {
    kpaths: Arc<KPaths>,
    features: Features,
    columns: Columns,
    balance: Balance,
    seed: u64,
    /// Different classes, each once, and who has them.
    members: Vec<Vec<u64>>,
    known: Vec<Known>,
    always: Vec<Class>,
    never: u32,
}

/// A tree over columns, and how often one was right.
#[derive(Debug)]
pub struct Lesson {
    tree: Tree,
    trial: Confusion,
}

impl Teacher {
    /// Gets ready for classes of texts with these features. Those that all texts are in, or none, are left out.
    pub fn new(
        extractor: &Extractor,
        vectors: &[FeatureVector],
        classes: Vec<Labeled>,
        balance: Balance,
        seed: u64,
    ) -> Teacher {
        let columns = Columns::new(extractor.kpaths(), vectors);
        let mut teacher = Teacher {
            kpaths: extractor.kpaths().clone(),
            features: extractor.features(),
            columns,
            balance,
            seed,
            members: Vec::new(),
            known: Vec::new(),
            always: Vec::new(),
            never: 0,
        };
        let mut numbers: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
        for Labeled { class, mut members } in classes {
            members.resize(teacher.columns.words(), 0);
            let count: u32 = members.iter().map(|word| word.count_ones()).sum();
            if count == 0 {
                teacher.never += 1;
            } else if count as usize == vectors.len() {
                teacher.always.push(class);
            } else {
                let fresh = numbers.len() as u32;
                let tree = *numbers.entry(members).or_insert(fresh);
                teacher.known.push(Known {
                    class,
                    members: count,
                    tree,
                });
            }
        }
        teacher.members = vec![Vec::new(); numbers.len()];
        for (members, at) in numbers {
            teacher.members[at as usize] = members;
        }
        teacher
    }

    /// The features.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The number of different classes, each of which has a tree.
    pub fn trees(&self) -> usize {
        self.members.len()
    }

    /// The classes that some texts are in, and some are not.
    pub fn known(&self) -> &[Known] {
        &self.known
    }

    /// Whether there are classes that all texts are in.
    pub fn all(&self) -> bool {
        !self.always.is_empty()
    }

    /// Learns the tree of a class. Takes what two trees take.
    pub fn teach(&self, class: usize) -> Lesson {
        let learner = Learner::new(&self.columns, self.balance, self.seed);
        let members = &self.members[class];
        let mut learned_from = crate::columns::full(self.columns.texts());
        let tried: Vec<usize> = (0..self.columns.texts()).step_by(TRIED).collect();
        for &text in &tried {
            learned_from[text / 64] &= !(1 << (text % 64));
        }
        let tree = learner.learn_from(members, &learned_from);
        let mut trial = Confusion::default();
        for text in tried {
            let said = tree.predicts(|column| self.columns.has(column as usize, text));
            trial.add(bit(members, text), said);
        }
        Lesson {
            tree: learner.learn(members),
            trial,
        }
    }

    /// The model of all trees, in order, with the smallest of these texts as examples.
    ///
    /// # Panics
    ///
    /// If there is not one tree for each class and one text for each feature vector.
    pub fn finish(self, lessons: Vec<Lesson>, origin: Origin, texts: &[Vec<u8>]) -> Model {
        assert_eq!(lessons.len(), self.members.len(), "a tree for each class");
        assert_eq!(texts.len(), self.columns.texts(), "a text for each vector");
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut kept: BTreeMap<u32, u32> = BTreeMap::new();
        let mut by_size: Vec<u32> = (0..texts.len() as u32).collect();
        by_size.sort_by_key(|&at| (texts[at as usize].len(), at));
        let mut taught = Vec::with_capacity(lessons.len());
        for (Lesson { mut tree, trial }, members) in lessons.into_iter().zip(&self.members) {
            let mut examples = examples(&tree, &self.columns, members, &by_size);
            for example in examples.iter_mut().flatten().flatten() {
                let fresh = kept.len() as u32;
                *example = *kept.entry(*example).or_insert(fresh);
            }
            for node in &mut tree.nodes {
                if let Some(question) = &mut node.question {
                    let fresh = numbers.len() as u32;
                    question.feature = *numbers.entry(question.feature).or_insert(fresh);
                }
            }
            taught.push(Taught {
                tree,
                examples,
                trial,
            });
        }
        let mut asked: Vec<(u32, u32)> = numbers.into_iter().map(|(at, to)| (to, at)).collect();
        asked.sort_unstable();
        let asked = asked.into_iter().map(|(_, column)| {
            let merged = self.columns.merged(column as usize);
            Asked {
                feature: self.columns.feature(column as usize),
                merged: merged[..merged.len().min(MAX_MERGED)].to_vec(),
            }
        });
        let mut shown: Vec<(u32, u32)> = kept.into_iter().map(|(at, to)| (to, at)).collect();
        shown.sort_unstable();
        let shown = shown.into_iter().map(|(_, at)| texts[at as usize].clone());
        Model {
            features: self.features,
            origin,
            asked: asked.collect(),
            taught,
            known: self.known,
            texts: shown.collect(),
            text_count: texts.len() as u32,
            always: self.always,
            never: self.never,
            kpaths: self.kpaths,
        }
    }
}

/// For each node of a tree, the first member and the first other of these texts that comes there.
fn examples(
    tree: &Tree,
    columns: &Columns,
    members: &[u64],
    texts: &[u32],
) -> Vec<[Option<u32>; 2]> {
    let mut examples = vec![[None; 2]; tree.nodes().len()];
    for &text in texts {
        let side = usize::from(!bit(members, text as usize));
        let mut at = 0;
        loop {
            examples[at][side].get_or_insert(text);
            let Some(question) = tree.nodes()[at].question else {
                break;
            };
            at = match columns.has(question.feature as usize, text as usize) {
                true => question.yes as usize,
                false => question.no as usize,
            };
        }
    }
    examples
}

impl Model {
    /// The grammar.
    pub fn grammar(&self) -> &Arc<Grammar> {
        self.kpaths.graph().grammar()
    }

    /// The graph of the grammar.
    pub fn graph(&self) -> &Arc<Graph> {
        self.kpaths.graph()
    }

    /// The k-paths that features are about.
    pub fn kpaths(&self) -> &Arc<KPaths> {
        &self.kpaths
    }

    /// What finds the features that the model asks for.
    ///
    /// # Errors
    ///
    /// None that did not come up when it was learned.
    pub fn extractor(&self) -> Result<Extractor, kpath::Error> {
        Extractor::new(self.graph(), self.kpaths.k(), self.features)
    }

    /// What it was made of.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The classes, in the order in which they came.
    pub fn known(&self) -> &[Known] {
        &self.known
    }

    /// The trees of the classes.
    pub fn taught(&self) -> &[Taught] {
        &self.taught
    }

    /// The tree of a class.
    pub fn tree_of(&self, class: usize) -> &Taught {
        &self.taught[self.known[class].tree as usize]
    }

    /// The features that trees ask for.
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// The texts that are examples.
    pub fn texts(&self) -> &[Vec<u8>] {
        &self.texts
    }

    /// The number of texts that it was learned from.
    pub fn text_count(&self) -> u32 {
        self.text_count
    }

    /// The classes that all texts are in.
    pub fn always(&self) -> &[Class] {
        &self.always
    }

    /// The number of classes that no text is in.
    pub fn never(&self) -> u32 {
        self.never
    }

    /// Which of the features that are asked for a text has, in their order. O(features · k · log windows).
    pub fn answers(&self, vector: &FeatureVector) -> Vec<bool> {
        let mut path = Vec::new();
        let paths = vector.windows.iter().flat_map(|&window| {
            self.kpaths.window_into(u64::from(window), &mut path);
            let ranks: Vec<_> = (0..path.len())
                .filter_map(|start| crate::columns::path_rank(&self.kpaths, &path[start..]))
                .collect();
            ranks
        });
        let mut paths: Vec<_> = paths.collect();
        paths.sort_unstable();
        let asked = self.asked.iter().map(|asked| match asked.feature {
            Feature::Path(path) => paths.binary_search(&path).is_ok(),
            Feature::MoreThan(quantity, threshold) => vector
                .quantity(quantity)
                .is_some_and(|value| value > threshold),
        });
        asked.collect()
    }

    /// Whether a text that has these of the asked features is in a class, as its tree says.
    pub fn predicts(&self, class: usize, answers: &[bool]) -> bool {
        let has = |feature: u32| answers.get(feature as usize).copied().unwrap_or(false);
        self.tree_of(class).tree.predicts(has)
    }
}
