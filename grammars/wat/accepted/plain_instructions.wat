(module (memory 1) (func (export "a") (param i32)
  block $out
    loop $again
      local.get 0
      br_if 1
      br $again
    end $again
  end
  i32.const 0
  i32.load8_u offset=4 align=1
  drop))