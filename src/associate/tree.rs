//! A decision tree: yes or no for a class, by few questions.

/// What a node asks, and the nodes that follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// The number of the feature that is asked for: a column, or in a model a feature of that.
    pub feature: u32,
    /// The node of the texts that have it.
    pub yes: u32,
    /// The node of the others.
    pub no: u32,
}

/// A node of a tree, with the texts that it was learned from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The texts that come here and are in the class.
    pub members: u32,
    /// The texts that come here and are not.
    pub others: u32,
    /// Whether the tree says that what ends here is in the class.
    pub is_member: bool,
    /// What is asked here; nothing at a leaf.
    pub question: Option<Question>,
}

/// A decision tree. Nodes are in pre-order, the branch of yes before that of no; the first is the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
}

/// A step of a way through a tree: a feature, and whether the text has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The feature that is asked for.
    pub feature: u32,
    /// The answer.
    pub holds: bool,
}

impl Tree {
    /// The nodes, in pre-order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node at which a text ends that answers so. O(depth).
    pub fn leaf(&self, mut has: impl FnMut(u32) -> bool) -> usize {
        let mut at = 0;
        while let Some(Node {
            question: Some(question),
            ..
        }) = self.nodes.get(at)
        {
            let next = match has(question.feature) {
                true => question.yes,
                false => question.no,
            };
            // In pre-order what follows comes behind, so this ends.
            if next as usize <= at {
                break;
            }
            at = next as usize;
        }
        at
    }

    /// Whether the tree says that a text that answers so is in the class.
    pub fn predicts(&self, has: impl FnMut(u32) -> bool) -> bool {
        let leaf = self.leaf(has);
        self.nodes.get(leaf).is_some_and(|node| node.is_member)
    }

    /// The leaves, in order, each with the answers that lead there.
    pub fn leaves(&self) -> Vec<(usize, Vec<Step>)> {
        let mut leaves = Vec::new();
        let mut open = vec![(0usize, Vec::new())];
        while let Some((at, way)) = open.pop() {
            match self.nodes.get(at).and_then(|node| node.question) {
                None => leaves.push((at, way)),
                Some(Question { feature, yes, no }) => {
                    for (next, holds) in [(no, false), (yes, true)] {
                        if next as usize > at {
                            let mut way = way.clone();
                            way.push(Step { feature, holds });
                            open.push((next as usize, way));
                        }
                    }
                }
            }
        }
        leaves
    }

    /// The most questions that are asked of a text.
    pub fn depth(&self) -> usize {
        let ways = self.leaves().into_iter().map(|(_, way)| way.len());
        ways.max().unwrap_or(0)
    }

    /// The same tree without questions whose answer does not matter, since both lead to the same.
    pub(crate) fn pruned(&self) -> Tree {
        // From the last node on, so that what follows a node is done before it.
        let mut is_leaf = vec![true; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Some(Question { yes, no, .. }) = node.question {
                let (yes, no) = (yes as usize, no as usize);
                let is_same = self.nodes[yes].is_member == self.nodes[no].is_member;
                is_leaf[at] = is_leaf[yes] && is_leaf[no] && is_same;
            }
        }
        let mut nodes: Vec<Node> = Vec::new();
        // What is to be copied, and where it is named.
        let mut open: Vec<(usize, Option<(usize, bool)>)> = vec![(0, None)];
        while let Some((at, above)) = open.pop() {
            let here = nodes.len();
            if let Some((above, holds)) = above
                && let Some(question) = &mut nodes[above].question
            {
                match holds {
                    true => question.yes = here as u32,
                    false => question.no = here as u32,
                }
            }
            let mut node = self.nodes[at];
            match node.question.filter(|_| !is_leaf[at]) {
                Some(question) => {
                    open.push((question.no as usize, Some((here, false))));
                    open.push((question.yes as usize, Some((here, true))));
                }
                None => {
                    // Of two leaves that say the same, the whole says it.
                    node.is_member = self.verdict_below(at);
                    node.question = None;
                }
            }
            nodes.push(node);
        }
        Tree { nodes }
    }

    /// What any leaf below a node says.
    fn verdict_below(&self, mut at: usize) -> bool {
        while let Some(question) = self.nodes[at].question {
            at = question.yes as usize;
        }
        self.nodes[at].is_member
    }
}
