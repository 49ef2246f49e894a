//! The fastest way from choices to text: no sites, no events.
//!
//! The grammar is compiled once more, for this purpose alone. An operation writes up to 16 bytes of text and *then* acts, so
//! that a literal costs no operation of its own but travels with the next decision; small productions are inlined, and so
//! are those that are used once; calls in last position are jumps; an alternation of single bytes is a table, and a loop
//! over one runs inside its operation. Text is written in blocks of fixed size into a buffer that is kept long enough,
//! which the compiler turns into plain stores.

mod compile;

use std::sync::Arc;

use super::class::{ClassCode, MemberChoice, NOT_ONE_BYTE};
use super::tape::{Tape, modulo};
use crate::id::{ClassId, IdVec, NodeId};
use crate::lexicon::Lexeme;

/// The text that an operation can carry.
const TEXT: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    /// Goes on at `next`.
    Jump,
    /// Writes `pool[a..a + b]`, goes on at `next`.
    Long,
    /// Goes on at `a`, to come back to `next`.
    Call,
    /// Goes back.
    Return,
    /// Writes a byte by table `a`, goes on at `next`.
    Byte,
    /// Writes bytes by table `a` as long as the choices say so, goes on at `next`.
    Bytes,
    /// Writes a member of class `a`, goes on at `next`.
    Class,
    /// Chooses among `b` targets from `a` on.
    Choose,
    /// Goes on with `a` as long as the choices say so, then at `next`.
    Star,
    /// [`Act::Star`] over [`Act::Choose`].
    StarChoose,
    /// Begins counting, goes on at `next`.
    Count,
    /// Goes on with `a` between the bounds `b`, then at `next`.
    Repeat,
    /// Token `a` of node `b` begins; goes on at `next`.
    Begin,
}

#[derive(Clone, Copy, Debug)]
struct Op {
    text: [u8; TEXT],
    act: Act,
    len: u8,
    /// For choices among up to 256: the multiplier that turns a byte into its quotient.
    reciprocal: u32,
    next: u32,
    a: u32,
    b: u32,
}

/// A choice of one byte of text.
#[derive(Clone, Debug)]
struct ByteTable {
    bytes: [u16; 256],
    /// What is written once the choices have run out.
    default: u8,
    /// The class behind [`NOT_ONE_BYTE`], if the table is one of a class.
    class: Option<ClassId>,
}

/// A grammar compiled for rendering.
#[derive(Debug)]
pub(super) struct Renderer {
    ops: Vec<Op>,
    /// Where to go on, by choice.
    targets: Vec<u32>,
    /// Close-off's target of each [`Act::Choose`], by its first target.
    shortest: Vec<u32>,
    bounds: Vec<(u32, u32)>,
    tables: Vec<ByteTable>,
    pool: Vec<u8>,
    classes: Arc<IdVec<ClassId, ClassCode>>,
    class_tables: IdVec<ClassId, Option<u32>>,
    start: u32,
}

impl Renderer {
    /// Appends the text of any bytes. In a grammar with tokens it has them side by side, and where each begins is added to
    /// `begins`. `TOKENS` says which it is: the loop for grammars without tokens is faster where it need not keep them at hand.
    pub(super) fn render<const TOKENS: bool>(
        &self,
        choices: &[u8],
        returns: &mut Vec<u32>,
        counts: &mut Vec<u32>,
        text: &mut Vec<u8>,
        begins: &mut Vec<Lexeme>,
    ) {
        returns.clear();
        counts.clear();
        let mut out = text.len();
        text.resize(out + 2 * choices.len() + 4 * TEXT, 0);
        let mut at = self.start;
        let mut read = 0usize;
        while let Some(op) = self.ops.get(at as usize) {
            // Room for the operation's text and for what it may write beside it.
            match text.get_mut(out..out + 2 * TEXT) {
                Some(block) => block[..TEXT].copy_from_slice(&op.text),
                None => {
                    grow(text, out);
                    text[out..out + TEXT].copy_from_slice(&op.text);
                }
            }
            out += usize::from(op.len);
            at = match op.act {
                Act::Jump => op.next,
                Act::Begin => {
                    if TOKENS {
                        begins.push(Lexeme {
                            token: op.a,
                            start: out as u32,
                            end: out as u32,
                            place: Some(NodeId(op.b)),
                        });
                    }
                    op.next
                }
                Act::Return => match returns.pop() {
                    Some(back) => back,
                    None => break,
                },
                Act::Call => {
                    returns.push(op.next);
                    op.a
                }
                Act::Choose => match choices.get(read) {
                    Some(&byte) if op.b <= 256 => {
                        read += 1;
                        let index = modulo(byte, op.b, op.reciprocal);
                        self.targets[(op.a + index) as usize]
                    }
                    _ => {
                        let mut tape = Tape::new(&choices[read.min(choices.len())..]);
                        let index = tape.take(op.b);
                        read = choices.len() - tape.remaining();
                        match index {
                            Some(index) => self.targets[(op.a + index) as usize],
                            None => self.shortest[op.a as usize],
                        }
                    }
                },
                Act::Star => match choices.get(read) {
                    Some(&byte) => {
                        read += 1;
                        if byte & 1 == 1 { op.a } else { op.next }
                    }
                    None => op.next,
                },
                Act::StarChoose => match choices.get(read..read + 2) {
                    Some(&[more, byte]) if more & 1 == 1 => {
                        read += 2;
                        let index = modulo(byte, op.b, op.reciprocal);
                        self.targets[(op.a + index) as usize]
                    }
                    _ => match choices.get(read) {
                        Some(&more) if more & 1 == 1 => {
                            read += 1;
                            self.shortest[op.a as usize]
                        }
                        Some(_) => {
                            read += 1;
                            op.next
                        }
                        None => op.next,
                    },
                },
                Act::Byte => {
                    self.byte(op.a, choices, &mut read, text, &mut out);
                    op.next
                }
                Act::Bytes => {
                    while let Some(&more) = choices.get(read) {
                        read += 1;
                        if more & 1 == 0 {
                            break;
                        }
                        self.byte(op.a, choices, &mut read, text, &mut out);
                        if out + TEXT > text.len() {
                            grow(text, out);
                        }
                    }
                    op.next
                }
                Act::Class => {
                    self.member(ClassId(op.a), choices, &mut read, text, &mut out);
                    op.next
                }
                Act::Long => {
                    let literal = &self.pool[op.a as usize..][..op.b as usize];
                    if out + literal.len() > text.len() {
                        text.resize(out + literal.len(), 0);
                    }
                    text[out..out + literal.len()].copy_from_slice(literal);
                    out += literal.len();
                    op.next
                }
                Act::Count => {
                    counts.push(0);
                    op.next
                }
                Act::Repeat => {
                    let (min, max) = self.bounds[op.b as usize];
                    let Some(count) = counts.last_mut() else {
                        break;
                    };
                    let more = *count < min
                        || *count < max
                            && choices.get(read).is_some_and(|&byte| {
                                read += 1;
                                byte & 1 == 1
                            });
                    if more {
                        *count = count.saturating_add(1);
                        op.a
                    } else {
                        counts.pop();
                        op.next
                    }
                }
            };
        }
        text.truncate(out);
    }

    /// Writes one byte by a table; the buffer has room for it.
    #[inline(always)]
    fn byte(&self, table: u32, choices: &[u8], read: &mut usize, text: &mut [u8], out: &mut usize) {
        let table = &self.tables[table as usize];
        match choices.get(*read) {
            Some(&choice) if table.bytes[usize::from(choice)] != NOT_ONE_BYTE => {
                *read += 1;
                text[*out] = table.bytes[usize::from(choice)] as u8;
                *out += 1;
            }
            Some(_) => {
                if let Some(class) = table.class {
                    self.member(class, choices, read, text, out);
                }
            }
            None => {
                text[*out] = table.default;
                *out += 1;
            }
        }
    }

    /// Writes any class member; the buffer has room for it.
    #[cold]
    fn member(
        &self,
        class: ClassId,
        choices: &[u8],
        read: &mut usize,
        text: &mut [u8],
        out: &mut usize,
    ) {
        let class = &self.classes[class];
        let mut tape = Tape::new(&choices[(*read).min(choices.len())..]);
        let head = tape
            .take(class.head_count())
            .unwrap_or_else(|| class.default_head());
        let rest = match class.rest_count(head) {
            1 => 0,
            count => tape.take(count).unwrap_or(0),
        };
        *read = choices.len() - tape.remaining();
        let mut bytes = [0; 4];
        let len = class.write(MemberChoice { head, rest }, &mut bytes);
        text[*out..*out + len].copy_from_slice(&bytes[..len]);
        *out += len;
    }
}

/// Makes room for several operations' text behind `out`.
#[cold]
fn grow(text: &mut Vec<u8>, out: usize) {
    text.resize(out * 2 + 8 * TEXT, 0);
}
