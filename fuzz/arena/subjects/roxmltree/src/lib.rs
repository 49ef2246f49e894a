//! `roxmltree`: all ways through a tree agree, places are right, and a tree that is written out again is read as the same.

#[cfg(test)]
mod tests;
mod write;

use roxmltree::{Document, Node, NodeType, ParsingOptions};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/xml/xml.ebnf");

/// More nodes than a text of some kilobytes has, unless entities multiply them.
const NODES_LIMIT: u32 = 10_000;

/// References to entities times length. Each reference may stand for 255 others, and each of these for most of the text, which no limit
/// of the crate counts.
const MAX_EXPANSION: usize = 1 << 18;

/// Each position is counted from the start of the text.
const MAX_POSITIONS: usize = 16;

/// What external entities stand for, one of these.
const EXTERNAL: [&str; 4] = [
    "<?xml version='1.0' encoding='utf-8'?><x/>",
    "<?xml version='1.0' encoding='utf-8'?><xy/>",
    "<?xml version='1.0' encoding='utf-8'?><xyz/>",
    "<?xml version='1.0' encoding='utf-8'?><wxyz/>",
];

/// Reads `text`, looks at everything in the tree, writes it and reads it again. True if `text` is accepted.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    // What entities bring has its place in the DTD, or in another text.
    let has_entities = text.contains("<!ENTITY");
    if has_entities && references(text) * text.len() > MAX_EXPANSION {
        return false;
    }
    // roxmltree 0.21.2 looks for the text of an external entity that an attribute refers to in the document. So the place
    // of its end must not be within a character there. What panics otherwise, with the first of the texts:
    // <?xé?><!DOCTYPE r[<!ENTITY x SYSTEM ''>]><r a='&x;'/>
    let external = EXTERNAL.into_iter().find(|external| {
        let end = external.rfind('<').map(|start| external.len() - start);
        end.is_some_and(|end| text.is_char_boundary(end))
    });
    let without_dtd = Document::parse(text);
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: NODES_LIMIT,
        entity_resolver: Some(&|_, _| Ok(external)),
    };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            assert!(without_dtd.is_err(), "refused with a DTD only: {error}");
            assert!(!error.to_string().is_empty(), "an error without a message");
            let place = error.pos();
            assert!(place.row >= 1 && place.col >= 1, "an error at {place}");
            return false;
        }
    };
    for (count, node) in document.descendants().enumerate() {
        check_links(node);
        if node.is_element() {
            check_lookups(node);
        }
        if count < MAX_POSITIONS {
            let place = document.text_pos_at(node.range().start);
            assert!(place.row >= 1 && place.col >= 1, "a node at {place}");
        }
        if !has_entities {
            check_places(text, node);
        }
    }
    if binds_nothing(&document) || has_entities && has_no_text(&document) {
        return true;
    }
    let (written, shape) = (write::written(&document), write::shape(&document));
    let again = Document::parse(&written)
        .unwrap_or_else(|error| panic!("what was written is refused: {error}\n{written}"));
    assert_eq!(
        write::shape(&again),
        shape,
        "writing changed the tree: {written}"
    );
    if let Ok(without_dtd) = without_dtd {
        assert_eq!(
            write::shape(&without_dtd),
            shape,
            "allowing a DTD makes a difference"
        );
    }
    true
}

/// Whether a prefix stands for the empty namespace, as in `xmlns:p=""`. Namespaces in XML 1.0 forbid that, and roxmltree reads
/// it all the same, but a name with such a prefix cannot be told from one without when it is written.
fn binds_nothing(document: &Document) -> bool {
    document.descendants().any(|node| {
        let mut namespaces = node.namespaces();
        namespaces.any(|namespace| namespace.name().is_some() && namespace.uri().is_empty())
    })
}

/// Whether there are characters that XML has not. roxmltree 0.21.2 refuses them, but not in the values of entities.
fn has_no_text(document: &Document) -> bool {
    let is_none = |letter: char| match letter {
        '\t' | '\n' | '\r' => false,
        letter => letter < ' ' || matches!(letter, '\u{fffe}' | '\u{ffff}'),
    };
    document.descendants().any(|node| {
        let mut values = node.attributes().map(|it| it.value());
        let mut uris = node.namespaces().map(|it| it.uri());
        let text = node.text().filter(|_| node.is_text());
        values.any(|it| it.contains(is_none))
            || uris.any(|it| it.contains(is_none))
            || text.is_some_and(|it| it.contains(is_none))
    })
}

/// How many references there are to entities that a document declares.
fn references(text: &str) -> usize {
    let predefined = ["#", "lt;", "gt;", "amp;", "apos;", "quot;"];
    let is_declared = |name: &str| !predefined.iter().any(|known| name.starts_with(known));
    text.split('&')
        .skip(1)
        .filter(|rest| is_declared(rest))
        .count()
}

/// The ways to the neighbors of a node agree.
fn check_links(node: Node) {
    let document = node.document();
    assert_eq!(document.get_node(node.id()), Some(node));
    assert_eq!(node.first_child(), node.children().next());
    assert_eq!(node.last_child(), node.children().next_back());
    assert_eq!(node.has_children(), node.first_child().is_some());
    assert_eq!(
        node.first_element_child(),
        node.children().find(Node::is_element)
    );
    assert_eq!(
        node.last_element_child(),
        node.children().rfind(Node::is_element)
    );
    let mut previous = None;
    for child in node.children() {
        assert_eq!(child.parent(), Some(node));
        assert_eq!(child.prev_sibling(), previous);
        assert!(previous.is_none_or(|previous| previous < child));
        previous = Some(child);
    }
    if let Some(next) = node.next_sibling() {
        assert_eq!(next.prev_sibling(), Some(node));
        assert_eq!(next.parent(), node.parent());
        assert!(node.has_siblings());
    }
    if let Some(next) = node.next_sibling_element() {
        assert!(next.is_element());
        assert_eq!(
            next.prev_sibling_element().is_some(),
            node.is_element() || next.prev_siblings().skip(1).any(|n| n.is_element())
        );
    }
    assert_eq!(node.ancestors().next(), Some(node));
    match node.node_type() {
        NodeType::Root => assert_eq!(node.id(), document.root().id()),
        NodeType::Element => {
            assert_eq!(
                node.text(),
                node.first_child()
                    .filter(Node::is_text)
                    .and_then(|text| text.text())
            );
            assert_eq!(
                node.tail(),
                node.next_sibling()
                    .filter(Node::is_text)
                    .and_then(|text| text.text())
            );
        }
        NodeType::PI => assert!(node.pi().is_some_and(|pi| !pi.target.is_empty())),
        NodeType::Comment | NodeType::Text => assert!(node.text().is_some()),
    }
    assert!(!format!("{node:?}").is_empty());
}

/// Attributes and namespaces are found by their names.
fn check_lookups(node: Node) {
    assert!(node.has_tag_name(node.tag_name()));
    assert_eq!(node.attributes().len(), node.attributes().count());
    for attribute in node.attributes() {
        let found = match attribute.namespace() {
            Some(namespace) => node.attribute((namespace, attribute.name())),
            None => node.attribute(attribute.name()),
        };
        // A name alone stands for the first attribute with it, in whatever namespace.
        let mut candidates = node.attributes().filter(|it| {
            it.name() == attribute.name()
                && (attribute.namespace().is_none() || it.namespace() == attribute.namespace())
        });
        let first = candidates.next().map(|it| it.value());
        assert_eq!(found, first, "{attribute:?}");
    }
    for namespace in node.namespaces() {
        let uri = node.lookup_namespace_uri(namespace.name());
        // roxmltree 0.21.2 takes more than one declaration of the default namespace, and looks at the first: <a xmlns='x' xmlns='y'/>
        let mut candidates = node.namespaces();
        let first = candidates.find(|it| it.name() == namespace.name());
        let first = first.map(|it| it.uri());
        assert_eq!(uri, first, "{namespace:?}");
        if namespace.name().is_none() {
            assert_eq!(node.default_namespace(), first);
        } else {
            // Perhaps another prefix, and none where the default namespace is the same.
            node.lookup_prefix(namespace.uri());
        }
    }
}

/// What stands at the place of a node is the node.
fn check_places(text: &str, node: Node) {
    let source = &text[node.range()];
    match node.node_type() {
        NodeType::Root => assert_eq!(source, text),
        NodeType::Element => {
            assert!(
                source.starts_with('<') && source.ends_with('>'),
                "{source:?} as element"
            );
            assert!(source.contains(node.tag_name().name()));
        }
        NodeType::PI => assert!(
            source.starts_with("<?") && source.ends_with("?>"),
            "{source:?} as instruction"
        ),
        NodeType::Comment => assert!(
            source.starts_with("<!--") && source.ends_with("-->"),
            "{source:?} as comment"
        ),
        NodeType::Text => assert!(!source.is_empty(), "text without a place"),
    }
    for attribute in node.attributes() {
        let source = &text[attribute.range()];
        // Lengths are kept in a byte and in two.
        if source.len() < 255 {
            let (name, value) = (
                &text[attribute.range_qname()],
                &text[attribute.range_value()],
            );
            assert!(
                source.starts_with(name) && name.ends_with(attribute.name()),
                "{name:?} in {source:?}"
            );
            assert!(
                source[..source.len() - 1].ends_with(value),
                "{value:?} in {source:?}"
            );
        }
    }
}
