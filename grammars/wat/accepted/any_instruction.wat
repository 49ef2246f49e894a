;; a
(module
  (func $f (param externref) (result i32)
    (ref.is_null (local.get 0))))
