//! How a target begins: it reads its grammar and its settings, and does what it is asked for instead of fuzzing.

use std::path::Path;
use std::sync::Mutex;

use pleach_core::graph::Graph;
use pleach_core::kpath;
use pleach_core::mutate::{Heuristic, Session};

use super::aim::Aim;
use super::clock::Clock;
use super::describe::Description;
use super::schedule::Schedule;
use super::text::Texts;
use super::{Config, Fuzzer, InputCodec, State, VERBATIM, goal, model, texts_of};
#[cfg(unix)]
use super::{probe, stack};

impl Fuzzer {
    /// Reads the grammar and the settings now, rather than at the first use, and sees to it that a target that fills its stack
    /// leaves a file `crash-…` without a sanitizer, too.
    ///
    /// A grammar or setting that is wrong is reported on standard error, and the process ends with exit code 2.
    ///
    /// With `PLEACH_DESCRIBE=FILE`, it writes to the file what the target is, its codec and its grammar among it, and the process ends:
    /// so `pleach fuzz` knows them. With `PLEACH_RENDER=DIR`, it does the work of `pleach decode` for what only the target knows to render: it writes the
    /// texts of the files and directories among the arguments to `DIR`, under their names, and the process ends. With `PLEACH_PROBE=DIR`, it
    /// runs the inputs in `DIR/inputs` as `DIR/request` says, writes to `DIR/records` what each has come to and what it has covered, and
    /// the process ends; what stands behind `load()` in `init:` is not done then, so `load()` comes last there. On Unix only.
    ///
    /// [`crate::fuzz!`] calls it; a target of parts does so by `fuzz_target!(init: JSON.load(), …)`.
    pub fn load(&self) {
        #[cfg(unix)]
        stack::prepare();
        drop(self.state());
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(file) = variable("PLEACH_DESCRIBE") {
            let done = self.describe(file.as_ref());
            self.end(done)
        }
        if let Some(directory) = variable("PLEACH_RENDER") {
            let arguments = std::env::args_os().skip(1);
            let done = texts_of::write(directory.as_ref(), arguments, |input| self.sentence(input));
            self.end(done)
        }
        if let Some(directory) = variable("PLEACH_PROBE") {
            #[cfg(unix)]
            let done = probe::run(directory.as_ref());
            #[cfg(not(unix))]
            let done = Err(format!(
                "PLEACH_PROBE={}: there is no probe on this platform, only on Unix",
                directory.display()
            ));
            self.end(done)
        }
    }

    fn describe(&self, file: &Path) -> Result<String, String> {
        let state = self.state();
        let State {
            session, config, ..
        } = &*state;
        let kpaths = session.coverage().kpaths();
        let description = Description {
            grammar: kpaths.graph().grammar(),
            path: self.path,
            codec: self.codec,
            errors: config.errors.unwrap_or(self.errors),
            k: kpaths.k(),
            features: config.features,
            goals: self.goals,
            has_model: self.model.is_some() || std::env::var_os("PLEACH_MODEL").is_some(),
            has_hooks: self.semantics.is_some(),
        };
        description.write(file)
    }

    /// Ends the process as a command line does.
    #[expect(
        clippy::print_stderr,
        reason = "a target has no other way to say what it has done"
    )]
    pub(super) fn end(&self, done: Result<String, String>) -> ! {
        match done {
            Ok(message) => {
                eprintln!("pleach: {message}");
                std::process::exit(0)
            }
            Err(message) => {
                eprintln!("error: {message}");
                std::process::exit(2)
            }
        }
    }

    pub(super) fn try_state(&self) -> Result<&Mutex<State>, String> {
        self.state.get_or_try_init(|| {
            let config = Config::from_env().map_err(|error| error.to_string())?;
            // What tests see must not depend on how busy the machine is.
            #[cfg(test)]
            let config = Config {
                clock: false,
                ..config
            };
            let grammar = (self.grammar)()?;
            let graph = Graph::new(grammar).map_err(|error| error.to_string())?;
            let mut k = config.k;
            let mut session = loop {
                match Session::new(&graph, k) {
                    Ok(session) => break session,
                    // A smaller k always ends this: 1-paths are the symbols.
                    Err(kpath::Error::TooMany { .. } | kpath::Error::Unrankable { .. })
                        if k > 1 =>
                    {
                        k -= 1;
                    }
                    Err(error) => return Err(error.to_string()),
                }
            };
            session.steer(config.steering);
            session.use_engine(self.engine, config.bytes, config.reword);
            session.set_errors(config.errors.unwrap_or(self.errors));
            if self.codec == InputCodec::Choices {
                session.set_verbatim(config.raw.unwrap_or(VERBATIM));
            }
            session.control_length(config.len_control);
            session.set_feature_level(config.features);
            session.limit(config.budget());
            session.leave_out(config.without);
            let file = std::env::var_os("PLEACH_MODEL");
            model::follow(&mut session, file, self.model, config.mode.or(self.mode))?;
            if let Some(hooks) = self.semantics {
                let hooks = hooks(graph.grammar())?;
                session.attach(hooks).map_err(|error| error.to_string())?;
            }
            let texts = match self.codec {
                InputCodec::Choices => None,
                InputCodec::Text => Some(Texts::new(&graph, &config)),
            };
            let goals = std::env::var_os("PLEACH_GOAL");
            let goals = goals.map(|it| it.to_string_lossy().into_owned());
            // Without pleach, a target's own goals are left out as well.
            let own = if config.off { &[] } else { self.goals };
            let goals = goal::live::wanted(goals.as_deref(), own);
            let goal_counters = match is_probe() {
                // There, all numbers are recorded, and none is a feature.
                true => 0,
                false => goal::live::pursue(&goals, self.counters)?,
            };
            let aim = std::env::var_os("PLEACH_AIM").filter(|file| !file.is_empty());
            let aim = aim.map(|file| Aim::read(file.as_ref(), &mut session));
            let aim = aim.transpose()?;
            Ok(Mutex::new(State {
                goal_counters,
                session,
                config,
                texts,
                clock: Clock::default(),
                schedule: Schedule::new(config.without.contains(Heuristic::Schedule)),
                aim,
                runs: 0,
                is_fresh: config.avoid,
                next_report: 1000,
            }))
        })
    }
}

/// Whether the process runs inputs for somebody who asks what they do.
fn is_probe() -> bool {
    std::env::var_os("PLEACH_PROBE").is_some_and(|directory| !directory.is_empty())
}
