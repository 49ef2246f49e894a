switch (x) { case 1: f();
break; default: }