(module $Example.1
  (import "env" "log" (func $log (param i32)))
  (memory (export "memory") 1 2) ;; pages
  (global $count (mut i32) (i32.const 0))
  (func $add-one (export "add_one") (param $value i32) (result i32)
    (local $unused f64)
    (call $log (local.get $value))
    (if (result i32) (i32.eqz (local.get $value))
      (then (i32.const 0x7fff_ffff))
      (else (i32.add (local.get $value) (i32.const 1)))
    )
  )
  (; done ;)
)