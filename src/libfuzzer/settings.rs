//! The names of what [`crate::fuzz!`] takes beside the body.

/// The names of the settings, as fields: the compiler's error at another name points at it, and says which one is similar.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "`fuzz!` describes them")]
pub struct Settings {
    pub grammar: (),
    pub codec: (),
    pub errors: (),
    pub semantics: (),
    pub model: (),
    pub mode: (),
    pub goals: (),
    pub counters: (),
}

/// All settings.
pub const SETTINGS: Settings = Settings {
    grammar: (),
    codec: (),
    errors: (),
    semantics: (),
    model: (),
    mode: (),
    goals: (),
    counters: (),
};
