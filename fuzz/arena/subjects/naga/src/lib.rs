//! `naga`: a shader that is valid is written by each backend, or refused with an error; what is written as WGSL is valid again.
//!
//! The parser limits the nesting of expressions and statements itself.

use naga::back::{glsl, hlsl, msl, pipeline_constants::process_overrides, spv, wgsl};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Expression, ImageClass, Module, TypeInner};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/wgsl/wgsl.ebnf");

/// The longest shader that is tried.
const MAX_TEXT: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 14
};

/// Parses `text` as a shader, validates it, and writes it in other languages. True if it parses.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if text.len() > MAX_TEXT {
        return false;
    }
    let module = match naga::front::wgsl::parse_str(text) {
        Ok(module) => module,
        Err(error) => {
            assert!(
                !error.emit_to_string(text).is_empty(),
                "an error without a message"
            );
            return false;
        }
    };
    match validate(&module) {
        Ok(info) => write(&module, &info),
        Err(message) => assert!(!message.is_empty(), "an error without a message"),
    }
    true
}

fn validate(module: &Module) -> Result<ModuleInfo, String> {
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .map_err(|error| error.into_inner().to_string())
}

/// Writes a valid module by all backends.
fn write(module: &Module, info: &ModuleInfo) {
    if let Ok(text) = wgsl::write_string(module, info, wgsl::WriterFlags::empty()) {
        let again = match naga::front::wgsl::parse_str(&text) {
            Ok(again) => again,
            Err(error) => panic!("what was written does not parse: {}", error.message()),
        };
        if let Err(message) = validate(&again) {
            panic!("what was written is not valid: {message}");
        }
    }
    // The others take no module with values that are not known yet.
    let Ok((module, info)) = process_overrides(module, info, None, &Default::default()) else {
        return;
    };
    // naga 30.0.1 panics there, as not done yet: `@group(0)@binding(0)var t:texture_external;`.
    let is_external = |inner: &TypeInner| {
        matches!(
            inner,
            TypeInner::Image {
                class: ImageClass::External,
                ..
            }
        )
    };
    if module.types.iter().any(|(_, it)| is_external(&it.inner)) {
        return;
    }
    drop(spv::write_vec(
        &module,
        &info,
        &spv::Options::default(),
        None,
    ));
    drop(msl::write_string(
        &module,
        &info,
        &msl::Options::default(),
        &msl::PipelineOptions::default(),
    ));
    let mut text = String::new();
    drop(
        hlsl::Writer::new(
            &mut text,
            &hlsl::Options::default(),
            &hlsl::PipelineOptions::default(),
        )
        .write(&module, &info, None),
    );
    // naga 30.0.1 looks for the offset of a sample among the constants of the module: `textureSample(t,s,vec2(0.),vec2(1))`.
    let mut functions = (module.functions.iter().map(|(_, it)| it))
        .chain(module.entry_points.iter().map(|it| &it.function));
    let has_offset = |it: &Expression| {
        matches!(
            it,
            Expression::ImageSample {
                offset: Some(_),
                ..
            }
        )
    };
    if functions.any(|it| it.expressions.iter().any(|(_, it)| has_offset(it))) {
        return;
    }
    for entry in &module.entry_points {
        let pipeline = glsl::PipelineOptions {
            shader_stage: entry.stage,
            entry_point: entry.name.clone(),
            multiview: None,
        };
        let options = glsl::Options {
            version: glsl::Version::Desktop(450),
            ..glsl::Options::default()
        };
        let policies = BoundsCheckPolicies::default();
        let mut text = String::new();
        if let Ok(mut writer) =
            glsl::Writer::new(&mut text, &module, &info, &options, &pipeline, policies)
        {
            drop(writer.write());
        }
    }
}

#[cfg(test)]
mod tests;
