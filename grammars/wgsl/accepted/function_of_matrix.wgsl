fn _naga_inverse(m: mat4x4<f32>) -> mat4x4<f32> {
    let sub_factor00: f32 = m[2][2] * m[3][3] - m[3][2] * m[2][3];
    var adj: mat4x4<f32>;
    adj[0][0] =   (m[1][1] * m[2][2]); // one
    adj[0][1] = - (m[0][1]
    	+ m[2][1]);
    let det = m[0][0] * m[1][1];
    return adj * (1 / det);
}
