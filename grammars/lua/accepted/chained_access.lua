t.p[ 1 ].q = nil
