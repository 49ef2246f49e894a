struct S { f: f32, g: vec3<f32>, h: u32, e: f32 }
struct T { s: S, @align(16) a: array<vec4<f32>, 2>, m: mat4x4<f32> }
struct V { @builtin(position) p: vec4<f32>, @location(0) q: vec2<f32>, @location(1) @interpolate(flat) r: u32 }
@group(0) @binding(0) var<uniform> uni: T;
@group(0) @binding(1) var<storage, read_write> buf: array<u32>;
@group(0) @binding(2) var<storage> sto: T;
@group(1) @binding(0) var tex: texture_2d<f32>;@group(1) @binding(1) var sam: sampler;@group(1) @binding(2) var cmp: sampler_comparison;@group(1) @binding(3) var dep: texture_depth_2d;
@group(1) @binding(4) var out: texture_storage_2d<rgba8unorm, write>;@group(1) @binding(5) var tei: texture_2d<i32>;@group(1) @binding(6) var cub: texture_cube<f32>;@group(1) @binding(7) var arr: texture_2d_array<f32>;const K: u32 = 4;
override ovr: f32 = 1.0;
var<private> i0: i32;var<private> x0: f32;var<workgroup> wat: array<atomic<u32>, 4>;var<workgroup> wiu: u32;
fn f(px: f32, pi: i32) -> f32 { var u: u32 = 1u; var c: bool; var v2: vec2<f32>; var v3 = vec3<f32>(1.0); var w4: vec4<i32>; var m: mat4x4<f32>; var a: array<i32, 4>; var p: S; var x = px; var i = pi; var v4: vec4<f32>; { let r = &v4; *r = *r; } { let y = &a; i = (*y)[1] + y[0]; } return x; }
fn h(ptr1: ptr<function, i32>, pv: vec4<f32>) -> vec4<f32> { var u: u32 = 1u; var c: bool; var v2: vec2<f32>; var v3 = vec3<f32>(1.0); var w4: vec4<i32>; var m: mat4x4<f32>; var a: array<i32, 4>; var p: S; var x = 1.0; var i = *ptr1; var v4 = pv; return v4; }
@compute @workgroup_size(8, 8) fn cs(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32) { var u: u32 = 1u; var c: bool; var v2: vec2<f32>; var v3 = vec3<f32>(1.0); var w4: vec4<i32>; var m: mat4x4<f32>; var a: array<i32, 4>; var p: S; var i: i32; var x: f32; var v4: vec4<f32>; }