//! The model of a target: from a file, or built in.

use std::borrow::Cow;
use std::ffi::OsString;

use pleach_core::model::{Model, Reading};
use pleach_core::mutate::Session;

use super::ModelMode;

/// Lets a session follow a model: that of a file if one is named, else what is built in.
pub(super) fn follow(
    session: &mut Session,
    file: Option<OsString>,
    built_in: Option<&'static [u8]>,
    mode: Option<ModelMode>,
) -> Result<(), String> {
    let codec = session.codec().clone();
    let mut name = "model".to_owned();
    let bytes = match file.filter(|file| !file.is_empty()) {
        Some(file) => {
            name = format!("PLEACH_MODEL={}", file.display());
            let bytes = std::fs::read(&file).map_err(|error| {
                format!("{name}: cannot read it: {error}\nhelp: name a file of `pleach learn`, or unset it")
            })?;
            Some(Cow::Owned(bytes))
        }
        None => built_in.map(Cow::Borrowed),
    };
    let model = match bytes {
        Some(bytes) if bytes.trim_ascii_start().starts_with(b"{") => {
            return Err(format!(
                "{name}: targets read no models in JSON\nhelp: `pleach show-model GRAMMAR FILE -o MODEL` writes it in binary"
            ));
        }
        #[cfg(feature = "compiled")]
        Some(bytes) => {
            let model = Model::from_bytes(&codec, &bytes);
            Some(model.map_err(|error| format!("{name}: {error}"))?)
        }
        #[cfg(not(feature = "compiled"))]
        Some(_) => {
            return Err(format!(
                "{name}: this target reads no models\nhelp: add `features = [\"compiled\"]` to the dependency on pleach, and build it again"
            ));
        }
        None => None,
    };
    match (model, mode) {
        (None, None) => {}
        (model, Some(ModelMode::Kept)) => {
            session.follow_kept(model.unwrap_or_else(|| Model::new(&codec, 0)));
        }
        (Some(model), Some(ModelMode::Uncommon)) => session.follow(model, Reading::UNCOMMON),
        (Some(model), Some(ModelMode::Common) | None) => session.follow(model, Reading::COMMON),
        (None, Some(ModelMode::Common | ModelMode::Uncommon)) => {
            return Err(
                "the mode takes a model, and there is none\nhelp: name one by PLEACH_MODEL or `model:`, or take the mode `self`"
                    .into(),
            );
        }
    }
    Ok(())
}
