//! `piccolo`, a Lua interpreter: a script that compiles runs the same a second time, and ends within its limits.
//!
//! The interpreter has no recursion of its own and takes fuel, so that steps are counted and memory is looked at between a few of
//! them. What it would make at once (`table.unpack`) is bounded by a wrapper, and what depends on chance begins with one seed.

use piccolo::closure::FunctionPrototype;
use piccolo::opcode::Operation;
use piccolo::{Closure, Executor, Fuel, Lua};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/lua/lua.ebnf");

/// The longest script that is tried.
const MAX_SCRIPT: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 13
};

/// How often a script goes on.
const MAX_SLICES: usize = 64;

/// The fuel of a slice: a text can double within four instructions.
const FUEL_OF_SLICE: i32 = 32;

/// The memory that a script may have, the standard library's included.
const MAX_MEMORY: usize = 1 << 20;

/// What scripts of the grammar find defined.
const PRELUDE: &str = "
    n, i, d, s = 7, 2, 0.5, 'text'
    o = {p = 1, q = 'b'}
    function f(x, y) return y or x end
    function g(x, ...) return x, ... end
    t = {10, 'b', 2.5, p = 1, q = o, s = 'in t', f = f, n = 3}
    t.t = t
    local unpack = table.unpack
    table.unpack = function(t, i, j)
        i, j = i or 1, j or #t
        if i < -100 or j > 100 then error('too many') end
        return unpack(t, i, j)
    end
    math.randomseed(1)
    math.randomseed = nil
    print = function(...) return select('#', ...) end
";

/// Compiles `text` as a script, and runs it twice. True if it compiles.
pub fn run(text: &[u8]) -> bool {
    if text.len() > MAX_SCRIPT {
        return false;
    }
    let Some(first) = evaluate(text) else {
        return false;
    };
    assert_eq!(
        Some(first),
        evaluate(text),
        "a script came to something else"
    );
    true
}

/// How a script ends that compiles.
#[derive(PartialEq, Eq, Debug)]
enum End {
    Result,
    Error,
    /// It came to a limit.
    Unfinished,
}

fn evaluate(text: &[u8]) -> Option<End> {
    let mut lua = Lua::core();
    let executor = lua
        .try_enter(|ctx| {
            let prelude = Closure::load(ctx, None, PRELUDE.as_bytes())?;
            Ok(ctx.stash(Executor::start(ctx, prelude.into(), ())))
        })
        .expect("the prelude compiles");
    lua.execute::<()>(&executor).expect("the prelude runs");

    let executor = lua
        .try_enter(|ctx| {
            let script = Closure::load(ctx, None, text)?;
            if has_tail_call(&script.prototype()) {
                return Ok(None);
            }
            Ok(Some(ctx.stash(Executor::start(ctx, script.into(), ()))))
        })
        .ok()?;
    let Some(executor) = executor else {
        return Some(End::Unfinished);
    };
    for _ in 0..MAX_SLICES {
        let mut fuel = Fuel::with(FUEL_OF_SLICE);
        if lua.enter(|ctx| ctx.fetch(&executor).step(ctx, &mut fuel)) {
            return Some(match lua.execute::<()>(&executor) {
                Ok(()) => End::Result,
                Err(error) => {
                    assert!(!error.to_string().is_empty(), "an error without a message");
                    End::Error
                }
            });
        }
        if lua.total_memory() > MAX_MEMORY {
            lua.gc_collect();
            if lua.total_memory() > MAX_MEMORY {
                break;
            }
        }
    }
    Some(End::Unfinished)
}

/// Whether a function calls another one in its place.
///
/// piccolo 0.3.3 then forgets to make room for the parameters that get no argument: `function f(a,b)end return f()`.
fn has_tail_call(prototype: &FunctionPrototype) -> bool {
    let is_one = |it: Operation| matches!(it, Operation::TailCall { .. });
    prototype.opcodes.iter().any(|it| is_one(it.decode()))
        || prototype.prototypes.iter().any(|it| has_tail_call(it))
}

#[cfg(test)]
mod tests;
