//! What tells some texts from others: their features, and the tree of one class.

use std::sync::Arc;

use pleach_associate::features::{DEFAULT_K, Reader, greatest_k};
use pleach_associate::model::{Class, Labeled, Model, Of, Origin, Teacher};
use pleach_associate::tree::Step;
use pleach_associate::{Balance, Extractor, FeatureVector, Features};
use pleach_core::parse::{Budget, Refusal};
use serde::Serialize;

use crate::failure::Failure;
use crate::parallel::{MANY, in_parallel};
use crate::source::Source;

/// The characters of a text that a report shows.
const SHOWN: usize = 70;
/// The most bytes of texts that are compared.
const COMPARED: usize = 1000;
/// What holds for less than one of so many members is left out.
const LEAST: usize = 50;

/// What finds the features of texts.
pub(crate) fn extractor(source: &Source, budget: Budget) -> Result<Extractor, Failure> {
    let k = greatest_k(&source.graph, DEFAULT_K);
    let extractor = Extractor::new(&source.graph, k, Features::All);
    let extractor = extractor.map_err(|error| Failure::of(&source.name, error))?;
    Ok(extractor.with_budget(budget))
}

/// The features of each text; of one that is not a sentence, why not.
pub(crate) fn features(
    extractor: &Arc<Extractor>,
    texts: &[Vec<u8>],
) -> Result<Vec<Result<FeatureVector, Refusal>>, Failure> {
    let worker = || Ok(Reader::default());
    let (vectors, _) = in_parallel(texts.len(), MANY, worker, |reader, at| {
        Ok(extractor.extract(&texts[at], reader))
    })?;
    Ok(vectors)
}

/// A model of classes, each with the answer for every text, whose trees tell members from the other texts; nothing if a class has all texts, or
/// none.
pub(crate) fn learn(
    extractor: &Extractor,
    vectors: &[FeatureVector],
    texts: &[Vec<u8>],
    classes: &[(&str, &[bool])],
    seed: u64,
) -> Option<Model> {
    let labeled = |&(name, is_member): &(&str, &[bool])| {
        let mut members = vec![0u64; texts.len().div_ceil(64)];
        for (at, _) in is_member.iter().enumerate().filter(|(_, is_it)| **is_it) {
            members[at / 64] |= 1 << (at % 64);
        }
        let class = Class {
            name: name.to_owned(),
            ..Class::default()
        };
        Labeled { class, members }
    };
    let classes: Vec<Labeled> = classes.iter().map(labeled).collect();
    let count = classes.len();
    let teacher = Teacher::new(extractor, vectors, classes, Balance::default(), seed);
    if teacher.known().len() < count {
        return None;
    }
    let lessons = (0..teacher.trees()).map(|at| teacher.teach(at)).collect();
    let origin = Origin {
        of: Of::Verdict,
        target: String::new(),
        build: String::new(),
        is_text: true,
    };
    Some(teacher.finish(lessons, origin, texts))
}

/// When texts are members, in words, with texts on both sides.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Way {
    /// What the input has or has not.
    pub(crate) conditions: Vec<String>,
    /// The members of which this holds, beyond those of the ways before, and all texts of which it does.
    pub(crate) members: u32,
    pub(crate) inputs: u32,
    /// The shortest member of which it holds.
    pub(crate) member: Option<String>,
    /// The text that is most like it, of those that are not members.
    pub(crate) other: Option<String>,
}

/// When texts are rejected, of sentences with their features and whether they are; nothing if all of them are, or none.
pub(crate) fn ways_to_be_rejected<'a>(
    extractor: &Extractor,
    sentences: impl Iterator<Item = (&'a [u8], &'a FeatureVector, bool)>,
    seed: u64,
) -> Vec<Way> {
    let (mut texts, mut vectors, mut is_member) = (Vec::new(), Vec::new(), Vec::new());
    for (text, vector, is_rejected) in sentences {
        texts.push(text.to_vec());
        vectors.push(vector.clone());
        is_member.push(is_rejected);
    }
    let classes = [("rejected", &is_member[..])];
    let Some(model) = learn(extractor, &vectors, &texts, &classes, seed) else {
        return Vec::new();
    };
    let taught = Taught {
        model: &model,
        vectors: &vectors,
        texts: &texts,
        is_member: &is_member,
    };
    taught.ways()
}

/// What is known of the texts of a model.
pub(crate) struct Taught<'a> {
    pub(crate) model: &'a Model,
    pub(crate) vectors: &'a [FeatureVector],
    pub(crate) texts: &'a [Vec<u8>],
    /// Whether each is a member of the first class.
    pub(crate) is_member: &'a [bool],
}

/// A conjunction, and what it comes to.
struct Conjunction {
    steps: Vec<Step>,
    score: f64,
}

impl Taught<'_> {
    /// When texts are members, in as few words as will do.
    ///
    /// The leaves of the tree that say so are conjunctions, but each question was asked to tell apart what came there, and some are asked
    /// in vain. So conditions are dropped as long as the conjunction is no worse for it, and the best one is taken; then the next, for the
    /// members that are left. Good is what holds for many members and hardly any others, by the measure F of recall and precision that
    /// gives the latter twice the weight: what is said of an input should be true.
    pub(crate) fn ways(&self) -> Vec<Way> {
        let answers = self.vectors.iter().map(|it| self.model.answers(it));
        let answers: Vec<Vec<bool>> = answers.collect();
        let tree = &self.model.tree_of(0).tree;
        let leaves = tree.leaves().into_iter();
        let leaves = leaves.filter(|(leaf, _)| tree.nodes()[*leaf].is_member);
        let leaves: Vec<Vec<Step>> = leaves.map(|(_, steps)| steps).collect();
        let mut is_left = self.is_member.to_vec();
        let all = is_left.iter().filter(|it| **it).count();
        let mut ways = Vec::new();
        loop {
            let pruned = leaves.iter().map(|it| self.pruned(it, &answers, &is_left));
            let best = pruned.max_by(|one, other| one.score.total_cmp(&other.score));
            let Some(Conjunction { steps, .. }) = best else {
                return ways;
            };
            let (members, inputs) = self.counts(&steps, &answers, &is_left);
            if members * LEAST < all || members == 0 || 2 * members < inputs {
                return ways;
            }
            ways.push(self.way(&steps, &answers, &is_left, (members, inputs)));
            for (is_left, answers) in is_left.iter_mut().zip(&answers) {
                *is_left &= !holds(&steps, answers);
            }
        }
    }

    /// The texts that are counted: members that are left, and others.
    fn counts(&self, steps: &[Step], answers: &[Vec<bool>], is_left: &[bool]) -> (usize, usize) {
        let (mut members, mut inputs) = (0, 0);
        for (at, answers) in answers.iter().enumerate() {
            if (is_left[at] || !self.is_member[at]) && holds(steps, answers) {
                members += usize::from(is_left[at]);
                inputs += 1;
            }
        }
        (members, inputs)
    }

    fn pruned(&self, steps: &[Step], answers: &[Vec<bool>], is_left: &[bool]) -> Conjunction {
        let left = is_left.iter().filter(|it| **it).count();
        let score = |steps: &[Step]| {
            let (members, inputs) = self.counts(steps, answers, is_left);
            // F of beta 1/2: (1 + 1/4) P R / (P/4 + R).
            5.0 * members as f64 / (4 * inputs + left).max(1) as f64
        };
        let mut steps = steps.to_vec();
        let mut known = score(&steps);
        loop {
            let shorter = (0..steps.len()).map(|at| {
                let mut shorter = steps.clone();
                shorter.remove(at);
                (score(&shorter), shorter)
            });
            let best = shorter.max_by(|one, other| one.0.total_cmp(&other.0));
            match best {
                Some((score, shorter)) if score >= known => (known, steps) = (score, shorter),
                _ => {
                    return Conjunction {
                        steps,
                        score: known,
                    };
                }
            }
        }
    }

    fn way(
        &self,
        steps: &[Step],
        answers: &[Vec<bool>],
        is_left: &[bool],
        (members, inputs): (usize, usize),
    ) -> Way {
        let conditions = steps.iter().map(|step| {
            let asked = &self.model.asked()[step.feature as usize];
            self.model.in_words(asked.feature, step.holds)
        });
        let texts = || (0..self.texts.len()).map(|at| (&self.texts[at], at));
        let member = texts().filter(|(_, at)| is_left[*at] && holds(steps, &answers[*at]));
        let member = member.map(|it| it.0).min_by_key(|it| (it.len(), *it));
        let others = texts().filter(|(_, at)| !self.is_member[*at]);
        let other = member.and_then(|member| most_like(member, others.map(|it| it.0)));
        Way {
            conditions: conditions.collect(),
            members: members as u32,
            inputs: inputs as u32,
            member: member.map(|it| shown(it)),
            other: other.map(|it| shown(it)),
        }
    }
}

fn holds(steps: &[Step], answers: &[bool]) -> bool {
    let mut steps = steps.iter();
    steps.all(|step| answers[step.feature as usize] == step.holds)
}

/// The text that takes the fewest changes of single bytes to become another; long ones are passed over.
pub(crate) fn most_like<'a>(
    text: &[u8],
    texts: impl Iterator<Item = &'a Vec<u8>>,
) -> Option<&'a Vec<u8>> {
    let texts = texts.filter(|it| it.len() <= COMPARED);
    let distance = |it: &[u8]| strsim::generic_levenshtein(&Bytes(it), &Bytes(text));
    texts.min_by_key(|it| (distance(it), it.len(), *it))
}

/// Bytes, as strsim takes them.
struct Bytes<'a>(&'a [u8]);

impl<'b> IntoIterator for &'b Bytes<'_> {
    type Item = &'b u8;
    type IntoIter = std::slice::Iter<'b, u8>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Conditions as one clause behind "if the input ".
pub(crate) fn clause(conditions: &[String]) -> String {
    match conditions {
        [] => "is any at all".into(),
        conditions => conditions.join(" and "),
    }
}

/// A text on a line, with quotes and escapes where its ends could not be seen otherwise, and not all of it if it is long.
pub(crate) fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let is_plain = text.chars().all(|c| !c.is_control()) && text.trim() == text;
    let line = match is_plain && !text.is_empty() {
        true => text.into_owned(),
        false => format!("{text:?}"),
    };
    match line.char_indices().nth(SHOWN) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pleach_associate::{Extractor, Features};
    use pleach_core::{Grammar, Graph};

    use super::{SHOWN, Taught, clause, features, learn, most_like, shown};

    #[test]
    fn the_way_to_members_is_as_short_as_it_can_be() {
        let grammar = "list := '[' (item (',' item)*)? ']'; item := [0-9] | list;";
        let graph = Graph::new(grammar.parse::<Grammar>().unwrap()).unwrap();
        let extractor = Arc::new(Extractor::new(&graph, 2, Features::All).unwrap());
        let passing = [
            "[]",
            "[1]",
            "[[]]",
            "[[1]]",
            "[1,[]]",
            "[[],[]]",
            "[[],[],[]]",
        ];
        let failing = [
            "[[[]]]",
            "[[[1]]]",
            "[1,[[]]]",
            "[[[]],1]",
            "[[],[[]]]",
            "[[[],2]]",
        ];
        let texts = [&passing[..], &failing].concat();
        let texts: Vec<Vec<u8>> = texts.iter().map(|it| it.as_bytes().to_vec()).collect();
        let is_member: Vec<bool> = (0..texts.len()).map(|at| at >= passing.len()).collect();
        let vectors = features(&extractor, &texts).unwrap().into_iter();
        let vectors: Vec<_> = vectors.map(Result::unwrap).collect();
        let classes = [("fails", &is_member[..])];
        let model = learn(&extractor, &vectors, &texts, &classes, 0).unwrap();
        let taught = Taught {
            model: &model,
            vectors: &vectors,
            texts: &texts,
            is_member: &is_member,
        };
        let [way] = &taught.ways()[..] else {
            panic!("there is one way");
        };
        assert_eq!(way.conditions, ["nests `list` more than 2 deep"]);
        assert_eq!((way.members, way.inputs), (6, 6));
        assert_eq!(way.member.as_deref(), Some("[[[]]]"));
        assert_eq!(way.other.as_deref(), Some("[[]]"));

        let none = vec![false; texts.len()];
        assert!(learn(&extractor, &vectors, &texts, &[("none", &none)], 0).is_none());
    }

    #[test]
    fn the_text_that_takes_the_fewest_changes_is_most_like() {
        let texts = ["abc", "xbcd", "b"].map(|it| it.as_bytes().to_vec());
        assert_eq!(most_like(b"abcd", texts.iter()).unwrap(), b"abc");
        assert_eq!(most_like(b"", texts.iter()).unwrap(), b"b");
        assert_eq!(most_like(b"", [].iter()), None);
    }

    #[test]
    fn texts_fit_a_line() {
        let table = [
            ("a+b", "a+b"),
            ("", r#""""#),
            (" a", r#"" a""#),
            ("a\nb", r#""a\nb""#),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text.as_bytes()), expected);
        }
        let long = shown("é".repeat(500).as_bytes());
        assert_eq!(long.chars().count(), SHOWN + 1);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn no_condition_holds_always() {
        assert_eq!(clause(&[]), "is any at all");
        assert_eq!(clause(&["has a".into(), "has b".into()]), "has a and has b");
    }
}
