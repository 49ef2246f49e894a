#![doc = include_str!("links.md")]
#![doc = include_str!("introduction.md")]
// The pages are plain Markdown, which a book is made of, too. A link between them has a label, and the first definition of a label is the one
// that counts: here that of `links.md`, which leads into this documentation, and in the book that at the end of the page.

#[doc = include_str!("links.md")]
#[doc = include_str!("tutorial.md")]
pub mod tutorial {}

#[doc = include_str!("links.md")]
#[doc = include_str!("targets.md")]
pub mod targets {}

#[doc = include_str!("links.md")]
#[doc = include_str!("notation.md")]
pub mod notation {}

#[doc = include_str!("links.md")]
#[doc = include_str!("commands.md")]
pub mod commands {}

#[doc = include_str!("links.md")]
#[doc = include_str!("report.md")]
pub mod report {}

#[doc = include_str!("links.md")]
#[doc = include_str!("ci.md")]
pub mod ci {}

#[doc = include_str!("links.md")]
#[doc = include_str!("crashes.md")]
pub mod crashes {}

#[doc = include_str!("links.md")]
#[doc = include_str!("models.md")]
pub mod models {}

#[doc = include_str!("links.md")]
#[doc = include_str!("associate.md")]
pub mod associate {}

#[doc = include_str!("links.md")]
#[doc = include_str!("evolve.md")]
pub mod evolve {}

#[doc = include_str!("links.md")]
#[doc = include_str!("how-it-works.md")]
pub mod how_it_works {}

#[doc = include_str!("links.md")]
#[doc = include_str!("limits.md")]
pub mod limits {}
