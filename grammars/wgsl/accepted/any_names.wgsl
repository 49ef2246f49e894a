// a
fn scale(v: vec2f, by: f32) -> vec2f {
    return v*by;
}
