//! Inputs of others: the seeds that a campaign begins with, and what the engine has kept.

use pleach_core::Parser;

use crate::failure::{Failure, warn};
use crate::input::{InputFile, collect, read_input};
use crate::parallel::{ONE, in_parallel};
use crate::progress::Progress;
use crate::recognize;
use crate::report::count;
use crate::target::Subject;
use crate::text::{TextArgs, Texts};

use super::Evolve;

impl Evolve {
    /// The choices of the seeds, and how many were left out.
    pub(super) fn seeds(&self, subject: &Subject) -> Result<(Vec<Vec<u8>>, u64), Failure> {
        if self.seeds.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let files = collect(&self.seeds)?;
        // Nor is a text that is not a sentence a choice sequence: it is left out.
        let are_texts = subject.is_text || !recognize::are_choices(&subject.source.graph, &files);
        let read = self.choices(subject, &files, are_texts)?;
        let seeds: Vec<Vec<u8>> = read.into_iter().flatten().collect();
        let left_out = (files.len() - seeds.len()) as u64;
        let name = &subject.source.name;
        let all = count(files.len() as u64, "seed");
        if seeds.is_empty() {
            return Err(Failure::new(
                format_args!("none of {all} is a sentence of {name}"),
                "name other seeds, or begin without --seeds",
            ));
        }
        if left_out > 0 {
            warn(format_args!(
                "{left_out} of {all} left out: no sentences of {name}"
            ));
        }
        Ok((seeds, left_out))
    }

    /// The choices of files, in their order; nothing of a text that is not a sentence.
    pub(super) fn choices(
        &self,
        subject: &Subject,
        files: &[InputFile],
        are_texts: bool,
    ) -> Result<Vec<Option<Vec<u8>>>, Failure> {
        let graph = &subject.source.graph;
        let texts = are_texts
            .then(|| Texts::new(Parser::new(graph), TextArgs::within(self.budget.budget())));
        let progress = Progress::new(files.len() as u64, "inputs");
        let worker = || Ok((pleach_core::parse::Workspace::new(), Vec::new()));
        let task = |(workspace, input): &mut (_, Vec<u8>), at: usize| {
            let path = &files[at].path;
            read_input(path, input)?;
            progress.add(1);
            let Some(texts) = &texts else {
                return Ok(Some(input.clone()));
            };
            let mut choices = Vec::new();
            let read = texts.read(path, input, workspace, |forest| {
                forest.choices(&mut choices)
            });
            Ok(read.ok().map(|()| choices))
        };
        let (read, _) = in_parallel(files.len(), ONE, worker, task)?;
        Ok(read)
    }
}
