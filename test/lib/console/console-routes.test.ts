import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isConsolePath } from "../../../src/lib/console/console-routes.ts";

const web = join(import.meta.dir, "../../../src/web");

describe("an address of the console", () => {
  test.each([
    "/",
    "/setup",
    "/sign-in",
    "/auth/callback",
    "/devices",
    "/devices/",
    "/devices/import",
    "/devices/0192a0c4",
    "/devices/0192a0c4/data",
    "/dashboards/0192a0c4",
    "/integrations/codecs/new",
    "/integrations/0192a0c4/transform",
    "/pipelines/0192a0c4/webhooks",
    "/manual/alarms",
    "/settings/users/0192a0c4",
    "/devices/a%20b",
    "/scheduler/new",
    "/scheduler/0192a0c4/edit",
    "/generators/new",
    "/mqtt-clients/clients/new",
  ])("is %s", (path) => {
    expect(isConsolePath(path)).toBe(true);
  });

  test.each([
    "/metrics",
    "/query",
    "/search",
    "/write",
    "/index.php",
    "/devices/0192a0c4/nonsense",
    "/devices/0192a0c4/data/more",
    "/integrations/0192a0c4/nonsense",
    "/pipelines/0192a0c4/nonsense",
    "/scheduler/0192a0c4/nonsense",
    "/mqtt-clients/nonsense/new",
    "/settings/nonsense",
    "/settings/site/0192a0c4",
    "/auth",
    "/auth/callback/more",
    "/DEVICES",
    "/devices/%ff",
    "/constructor",
  ])("is not %s", (path) => {
    expect(isConsolePath(path)).toBe(false);
  });

  test("is every address that the console itself links to", () => {
    const sources = readdirSync(web, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".tsx"),
    );
    const links = sources.flatMap((file) =>
      [...readFileSync(join(web, file), "utf8").matchAll(/(?:href=\{?|route\()["`](\/[^"`?#]*)/g)].map(
        ([, path = ""]) =>
          path
            .replace(/\$\{page\}/, "profile")
            .replace(/\$\{protocol\}/, "modbus")
            .replaceAll(/\$\{[^}]*\}/g, "id"),
      ),
    );
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter((path) => !isConsolePath(path) && path !== "/docs")).toEqual([]);
  });
});
