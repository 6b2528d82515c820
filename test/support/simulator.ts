/** A program that writes a line once it is ready, and one after each line that it was sent. */
export async function startSimulator(command: readonly string[]) {
  const launch = async () => {
    const child = Bun.spawn([...command], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    const output = child.stdout.getReader();
    const line = async () => {
      const { value } = await output.read();
      if (value === undefined) throw new Error(await new Response(child.stderr).text());
    };
    await line();
    return { child, line };
  };
  let running = await launch();
  return {
    /** Resolves when it has done what the line says. */
    async send(text: string) {
      running.child.stdin.write(`${text}\n`);
      running.child.stdin.flush();
      await running.line();
    },
    signal: (name: NodeJS.Signals) => running.child.kill(name),
    async kill() {
      running.child.kill("SIGKILL");
      await running.child.exited;
    },
    /** Starts it again on the same port. */
    async start() {
      running = await launch();
    },
  };
}
