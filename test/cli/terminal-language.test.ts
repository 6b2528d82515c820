import { expect, test } from "bun:test";
import { errorText } from "../../src/cli/api-client.ts";
import { terminalLanguage } from "../../src/cli/terminal-language.ts";

test("takes the language of the terminal from the environment, the strongest variable first", () => {
  expect(terminalLanguage({ LANG: "de_DE.UTF-8" })).toBe("de");
  expect(terminalLanguage({ LC_ALL: "en_GB.UTF-8", LANG: "de_DE.UTF-8" })).toBe("en");
  expect(terminalLanguage({ LC_MESSAGES: "de_AT", LANG: "en_US" })).toBe("de");
  for (const LANG of ["C", "C.UTF-8", "POSIX", "fr_FR.UTF-8", ""])
    expect(terminalLanguage({ LANG })).toBe("en");
  expect(terminalLanguage({})).toBe("en");
});

test("says an error of the gateway in the language of the terminal", () => {
  const body = {
    code: "api_key.not_found",
    params: {},
    message: "There is no API key with this ID. It may have been deleted.",
  };
  expect(errorText(body, "de")).toBe(
    "Es gibt keinen API-Schlüssel mit dieser ID. Vielleicht wurde er gelöscht.",
  );
  expect(errorText(body, "en")).toBe("There is no API key with this ID. It may have been deleted.");
});

test("says an error that it does not know as the gateway says it", () => {
  expect(errorText({ code: "new.code", params: {}, message: "Something new." }, "de")).toBe("Something new.");
  expect(errorText({ message: "Something old." }, "de")).toBe("Something old.");
});
