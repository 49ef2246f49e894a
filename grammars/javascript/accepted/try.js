try { throw x;
} catch ({ message: e }) { } finally { }