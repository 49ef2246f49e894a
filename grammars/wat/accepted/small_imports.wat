(module
(import "abc" "def" (memory 1)) (import "abc" "g.h" (func (result f64 f32)))
(data "\u{20AC}\00\n"))