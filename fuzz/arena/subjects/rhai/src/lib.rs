//! `rhai`: a script runs the same, whether or not it was optimized, and ends within its limits.
//!
//! The engine is built once a thread, as building it takes longer than most scripts run. All that a script may use up
//! is bounded, and nothing is printed.

use rhai::{AST, Dynamic, Engine, EvalAltResult, Map, OptimizationLevel, Scope};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/rhai/rhai.ebnf");

/// The longest script that is tried.
const MAX_SCRIPT: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 13
};

thread_local! {
    static ENGINE: Engine = engine();
}

/// An engine whose scripts end soon, need little memory and stay shallow. It optimizes on request only.
fn engine() -> Engine {
    let mut engine = Engine::new();
    engine
        .set_optimization_level(OptimizationLevel::None)
        .set_max_operations(1_000)
        .set_max_call_levels(if cfg!(feature = "deep") { 64 } else { 8 })
        .set_max_expr_depths(depth(128), depth(96))
        .set_max_variables(100)
        .set_max_functions(40)
        .set_max_modules(0)
        .set_max_string_size(512)
        .set_max_array_size(256)
        .set_max_map_size(64)
        // A table of strings would carry over from one run to the next.
        .set_max_strings_interned(0)
        .on_print(|_| {})
        .on_debug(|_, _, _| {});
    engine
}

/// A limit of nesting; 0 is none.
fn depth(limit: usize) -> usize {
    if cfg!(feature = "deep") { 0 } else { limit }
}

/// Compiles `text` as a script and runs it, as it is and optimized. True if it compiles.
pub fn run(text: &[u8]) -> bool {
    let Ok(script) = std::str::from_utf8(text) else {
        return false;
    };
    if script.len() > MAX_SCRIPT {
        return false;
    }
    ENGINE.with(|engine| {
        let ast = match engine.compile(script) {
            Ok(ast) => ast,
            Err(error) => {
                assert!(!error.to_string().is_empty(), "an error without a message");
                return false;
            }
        };
        let plain = evaluate(engine, &ast);
        let optimized = engine.optimize_ast(&Scope::new(), ast, OptimizationLevel::Simple);
        let optimized = evaluate(engine, &optimized);
        // The optimizer leaves operations out, so one may come to a limit where the other does not.
        // rhai 1.27.0 also leaves out what gives the script its value: then `0;{}` comes to 0, and `try{1}catch{}` to nothing.
        if let (Ok(plain), Ok(optimized)) = (plain, optimized)
            && !plain.is_unit()
            && !optimized.is_unit()
        {
            assert_eq!(
                plain.type_name(),
                optimized.type_name(),
                "optimizing changed the type of the result"
            );
        }
        true
    })
}

/// What a script comes to that finds the variables of the grammar defined.
fn evaluate(engine: &Engine, ast: &AST) -> Result<Dynamic, Box<EvalAltResult>> {
    let mut scope = Scope::new();
    scope
        .push("x", 42_i64)
        .push("y", "text")
        .push("z", vec![Dynamic::ONE, Dynamic::TRUE, "z".into()])
        .push("a", 0.5)
        .push(
            "b",
            Map::from([("p".into(), Dynamic::ONE), ("x".into(), "b".into())]),
        );
    let result = engine.eval_ast_with_scope::<Dynamic>(&mut scope, ast);
    match &result {
        Ok(value) => drop(value.to_string()),
        Err(error) => assert!(!error.to_string().is_empty(), "an error without a message"),
    }
    result
}

#[cfg(test)]
mod tests;
