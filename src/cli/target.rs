//! Fuzz targets: which there are, how they are built, what they say of themselves, and what inputs do in them.
//!
//! This is the layer below the verbs that name a target. [`subject`] is its door for those that run inputs; `pleach fuzz`, which starts the
//! engine itself, takes the parts.

mod answer;
pub(crate) mod build;
pub(crate) mod engine;
mod known;
pub(crate) mod made;
mod reader;
pub(crate) mod runs;
mod subject;

pub(crate) use answer::Target;
pub(crate) use build::Build;
pub(crate) use known::{Known, Stated};
pub(crate) use reader::Reader;
pub(crate) use subject::{Subject, TargetArgs};

/// Variable that lets a target write the texts of its inputs.
pub(crate) const RENDER: &str = "PLEACH_RENDER";
