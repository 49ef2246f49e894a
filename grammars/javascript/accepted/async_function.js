async function h() { for await (const i of x) { }
return await y;
}
