label: do { if (a) break label; else { continue; } } while (typeof b in c);
switch (a) { case 1: default: b(); }
try {} catch {} finally { throw new E; }