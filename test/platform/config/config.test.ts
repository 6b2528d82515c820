import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, loadConfig } from "../../../src/platform/config/config.ts";
import { renderConfiguration } from "../../../src/tools/docs/docs.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-config-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function file(text: string): Promise<string> {
  const path = join(directory, "lineside.toml");
  await Bun.write(path, text);
  return path;
}

const mistakesOf = (args: readonly string[], env: Record<string, string> = {}): readonly string[] => {
  try {
    loadConfig(args, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
};

describe("where a setting comes from", () => {
  test("a flag beats the environment, the environment the file, the file the default", async () => {
    const config = await file(
      "http_port = 1\nmqtt_port = 2\nlog_level = 'debug'\n[data_pipelines]\nenabled = false\n",
    );
    const loaded = loadConfig(["--config", config, "--http-port", "3"], {
      LINESIDE_HTTP_PORT: "4",
      LINESIDE_MQTT_PORT: "5",
    });
    expect(loaded).toMatchObject({
      http_port: 3,
      mqtt_port: 5,
      log_level: "debug",
      data_pipelines_enabled: false,
      http_host: "0.0.0.0",
    });
  });

  test("tables join their keys", async () => {
    const config = await file("[mqtt]\nport = 2883\nhost = '127.0.0.1'\n");
    expect(loadConfig([], { LINESIDE_CONFIG: config })).toMatchObject({
      mqtt_port: 2883,
      mqtt_host: "127.0.0.1",
    });
  });

  test("both forms of a flag, and the contract's own variable names", () => {
    expect(
      loadConfig(["--http-port=9", "--log-format", "json"], { DATA_PIPELINES_ENABLED: "false" }),
    ).toMatchObject({ http_port: 9, log_format: "json", data_pipelines_enabled: false });
  });
});

describe("mistakes are reported at once, one sentence each", () => {
  test("from every source together", async () => {
    const config = await file("shade = 'red'\nmqtt_port = 'x'\n");
    const mistakes = mistakesOf(["--config", config, "--http-port", "99999", "--nope", "1", "stray"], {
      LINESIDE_LOG_LEVEL: "loud",
      LINESIDE_OWNER_EMAIL: "a@b.example",
    });
    expect(mistakes).toHaveLength(7);
    for (const part of [
      "--nope",
      "stray",
      "shade",
      "--http-port",
      "mqtt_port",
      "LINESIDE_LOG_LEVEL",
      "LINESIDE_OWNER_PASSWORD",
    ])
      expect(mistakes.some((mistake) => mistake.includes(part))).toBe(true);
  });

  test("a password is never shown", () => {
    const mistakes = mistakesOf([], {
      LINESIDE_OWNER_EMAIL: "a@b.example",
      LINESIDE_OWNER_PASSWORD: "tooshort",
    });
    expect(mistakes).toHaveLength(1);
    expect(mistakes.join()).not.toContain("tooshort");
  });

  test("an owner who is no e-mail address", () => {
    const mistakes = mistakesOf([], {
      LINESIDE_OWNER_EMAIL: "admin",
      LINESIDE_OWNER_PASSWORD: "long enough 7",
    });
    expect(mistakes).toEqual([expect.stringContaining("LINESIDE_OWNER_EMAIL")]);
  });

  test("a wrong value in a file of another name is told by that name", async () => {
    const path = join(directory, "site.toml");
    await Bun.write(path, 'http_port = 80\n\nlog_level = "loud"\n[outbound]\nallow = "10.0.0.0/99"\n');
    expect(mistakesOf(["--config", path])).toEqual([
      expect.stringContaining(`${path}, line 3: log_level must be one of debug`),
      `${path}, line 5: outbound_allow: 10.0.0.0/99 is neither an address nor a network like 10.0.0.0/8.`,
    ]);
    expect(mistakesOf(["--config", path, "--log-level", "info", "--outbound-allow", "x"])).toEqual([
      expect.stringMatching(/^outbound_allow: x is neither/),
    ]);
  });

  test("a file that is not there, or not TOML", async () => {
    expect(mistakesOf(["--config", join(directory, "missing.toml")])).toHaveLength(1);
    expect(mistakesOf(["--config", await file("= broken")])).toHaveLength(1);
  });
});

test("a mistake in the syntax of the file is named with its line and column", () => {
  const file = join(mkdtempSync(join(tmpdir(), "lineside-config-")), "lineside.toml");
  writeFileSync(file, 'data = "x"\nhttp_port == 80\n');
  expect(() => loadConfig(["--config", file], {})).toThrow(`${file}, line 2, column 12 is not valid TOML`);
});

test("a configuration file that cannot be read is told from one with a mistake", () => {
  expect(() => loadConfig(["--config", tmpdir()], {})).toThrow(
    `${tmpdir()} cannot be read. A folder stands where a file is expected. Move it away.`,
  );
});

test("the documentation lists every key as it is", async () => {
  const text = await Bun.file(join(import.meta.dir, "..", "..", "..", "docs", "configuration.md")).text();
  expect(text).toBe(renderConfiguration());
});

describe("a setting that does not exist", () => {
  test("is named with the one that may have been meant", () => {
    expect(mistakesOf(["--htp-port", "80"])).toEqual([
      '"--htp-port" is not an option (did you mean --http-port?). Use lineside serve --help to list the options.',
    ]);
    expect(mistakesOf([], { LINESIDE_HTTP_PROT: "80" })).toEqual([
      "LINESIDE_HTTP_PROT is not a setting (did you mean LINESIDE_HTTP_PORT?).",
    ]);
    expect(mistakesOf([], { LINESIDE_SHADE_OF_CASE: "red" })).toEqual([
      "LINESIDE_SHADE_OF_CASE is not a setting.",
    ]);
  });

  test("is named with its line in the file", async () => {
    const directory = mkdtempSync(join(tmpdir(), "lineside-config-"));
    const file = join(directory, "lineside.toml");
    writeFileSync(file, 'data = "x"\n\n[http]\nprot = 8081\n');
    expect(mistakesOf(["--config", file])).toEqual([
      `${file}, line 4: "http_prot" is not a setting (did you mean http_port?).`,
    ]);
    rmSync(directory, { recursive: true, force: true });
  });

  test("is not seen in what an orchestrator or a command sets", () => {
    const env = {
      LINESIDE_SERVICE_HOST: "10.0.0.1",
      LINESIDE_PORT: "tcp://10.0.0.1:8080",
      LINESIDE_API_KEY: "k",
    };
    expect(mistakesOf([], env)).toEqual([]);
  });
});

describe("a mistake that would start a gateway without its data", () => {
  test.each(["", " /data", "/data\r", '"/data"', "'/data'", "~/data", "$HOME/data"])(
    "as the data directory is refused: %j",
    (path) => {
      expect(mistakesOf([], { LINESIDE_DATA: path })).toEqual([
        expect.stringContaining(JSON.stringify(path)),
      ]);
    },
  );

  test("as the data directory is not any other path", () => {
    for (const path of ["/my data", "data", "./~", "/a$b", "C:\\data"])
      expect(mistakesOf([], { LINESIDE_DATA: path })).toEqual([]);
  });

  test("as the settings file is refused: an empty file, and a link to nothing", async () => {
    const empty = await file("");
    expect(mistakesOf(["--config", empty])).toEqual([expect.stringContaining(`${empty} is empty`)]);
    const link = join(directory, "link.toml");
    symlinkSync(join(directory, "nothing"), link);
    expect(mistakesOf(["--config", link])).toEqual([expect.stringContaining(`${link} cannot be read`)]);
    expect(mistakesOf(["--config", await file("# nothing\n")])).toEqual([]);
    expect(mistakesOf(["--config", "/dev/null"])).toEqual([]);
  });
});
