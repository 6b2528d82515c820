import { expect, test } from "bun:test";
import { type CommandLine, commandLine } from "../../../../src/web/features/connect/shells.ts";

const command: CommandLine = {
  program: "printf",
  lines: [["%s\\n", "plain"], ["-H", "content-type: application/json"], ["it's $HOME & `date`"]],
  option: "-d",
  stdinOption: "-d @-",
  text: '{"name": "O\'Neill"}',
};

test("a POSIX shell passes each argument as it is", () => {
  const { stdout } = Bun.spawnSync(["sh", "-c", commandLine("posix", command)]);
  expect(stdout.toString().split("\n").slice(0, -1)).toEqual([
    "plain",
    "-H",
    "content-type: application/json",
    "it's $HOME & `date`",
    "-d",
    command.text,
  ]);
});

test("cmd has double quotation marks, escaped inside, and carets at line ends", () => {
  expect(
    commandLine("cmd", {
      ...command,
      lines: [
        ["-i", "a b"],
        ["-t", "v1/x"],
      ],
    }),
  ).toBe('printf -i "a b" ^\n  -t v1/x ^\n  -d "{\\"name\\": \\"O\'Neill\\"}"');
});

test("PowerShell reads the text from standard input, and calls the program itself", () => {
  expect(
    commandLine("powershell", {
      ...command,
      lines: [
        ["-i", "a b"],
        ["-t", "v1/x"],
      ],
    }),
  ).toBe("'{\"name\": \"O''Neill\"}' | printf.exe -i 'a b' `\n  -t v1/x `\n  -d '@-'");
});
