import { openSandbox } from "./sandbox-fixture.ts";

/** Prints the id of its script process, which is then busy for half a minute in one go of the interpreter. */
const sandbox = openSandbox();
await sandbox.run({
  tenantId: "t",
  key: "k",
  source: "function transform() {}",
  message: null,
  metadata: null,
});
const pid = sandbox.pid;
void sandbox.run({
  tenantId: "t",
  key: "k",
  source: "new Array(1e9).join('x')",
  message: null,
  metadata: null,
});
await Bun.sleep(20);
console.log(pid);
await Bun.sleep(100_000);
