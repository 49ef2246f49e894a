//! A program whose names have to be declared, and a grammar that draws them freely, for tests of `pleach stuck`: it also refuses every `import`, and
//! prints lists where hardly any input makes one.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::Corpus;

const GRAMMAR: &str = r#"
    program := (statement " ")*;
    statement := "let " name " = " sum ";" | "print " sum ";" | import;
    import := "import " name ";";
    sum := operand (" + " operand)*;
    operand := name | number | "(" sum ")";
    name := [a-z]{1,8};
    number := [0-9]{1,12};
"#;

pleach::fuzz! {
    grammar: GRAMMAR.parse().expect("it is a grammar"),
    |text: &str| {
        match run(text) {
            Some(_) => Corpus::Keep,
            None => Corpus::Reject,
        }
    }
}

/// What is printed; nothing if it is no program.
fn run(text: &str) -> Option<Vec<String>> {
    let (mut names, mut printed) = (BTreeMap::new(), Vec::new());
    for statement in text.split(';').map(str::trim).filter(|it| !it.is_empty()) {
        if let Some(rest) = statement.strip_prefix("let ") {
            let (name, value) = rest.split_once('=')?;
            let value = evaluate(value, &names)?;
            names.insert(name.trim(), value);
        } else {
            let value = evaluate(statement.strip_prefix("print ")?, &names)?;
            printed.push(print(&value));
        }
    }
    Some(printed)
}

#[derive(Clone)]
enum Value {
    Number(u64),
    List(Vec<Value>),
}

/// The sum of operands, which begins anew at each bracket.
#[inline(never)]
fn evaluate(text: &str, names: &BTreeMap<&str, Value>) -> Option<Value> {
    let operands = text.split(['+', '(', ')']).map(str::trim);
    let mut sum = Value::Number(0);
    for operand in operands.filter(|it| !it.is_empty()) {
        let value = match operand.parse() {
            Ok(number) => Value::Number(number),
            Err(_) => declared(names.get(operand)?),
        };
        sum = add(sum, value);
    }
    Some(sum)
}

/// The value of a name.
#[inline(never)]
fn declared(value: &Value) -> Value {
    match value {
        Value::Number(123_456_789) => list(),
        value => value.clone(),
    }
}

#[inline(never)]
fn list() -> Value {
    Value::List(vec![Value::Number(1), Value::Number(2)])
}

#[inline(never)]
fn add(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => Value::Number(one.wrapping_add(other)),
        (one, other) => Value::List(vec![one, other]),
    }
}

#[inline(never)]
fn print(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::List(values) => values.iter().map(print).collect::<Vec<_>>().join(", "),
    }
}
