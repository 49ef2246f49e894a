use super::Grammar;

const USELESS: &str = include_str!("../tests/fixtures/useless.ebnf");

#[test]
fn useless_parts_are_pruned() {
    let grammar: Grammar = USELESS.parse().unwrap();
    assert_eq!(grammar.symbols().len(), 5, "{grammar:?}");
    assert_eq!(grammar.warnings().len(), 4);
    assert_eq!(grammar.to_string().parse::<Grammar>().unwrap(), grammar);
}
