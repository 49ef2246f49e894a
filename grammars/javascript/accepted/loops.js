for (let i = 0; i < 3; ) { x++;
if (x) break;
}
do { } while (y);
for (const i in x) { }
