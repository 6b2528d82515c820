import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Sealed } from "../../../src/modules/outbound/outbound.types.ts";
import { sealUrl } from "../../../src/modules/pipelines/pipelines.service.ts";

/** A vault in which a sealed address is the number of its place. */
function createVault() {
  const addresses: string[] = [];
  const seal = (url: string): Sealed => ({ sealed: String(addresses.push(url) - 1) });
  const openUrl = ({ sealed }: Sealed) => addresses[Number(sealed)];
  return { addresses, options: { seal, openUrl, known: new Map() } };
}

/** Saves an address as a new one. Returns what is stored and shown, and the function that saves a change of what is shown. */
function saveUrl(url: string) {
  const vault = createVault();
  const unknown = () => {
    throw new Error("nothing is kept");
  };
  const saved = sealUrl(url, unknown, vault.options);
  const keep = () => saved.sealedUrl ?? unknown();
  const full = ({ url: plain, sealedUrl }: typeof saved) =>
    sealedUrl === undefined ? plain : vault.options.openUrl(sealedUrl);
  return {
    ...{ vault, saved, full },
    shown: String(saved.url),
    change: (changed: string) => sealUrl(changed, keep, vault.options),
  };
}

const name = fc.constantFrom("token", "%74oken", "sig", "Key", "key", "page", "a+key", "api_key", "");
const value = fc.oneof(
  fc.constantFrom("", "a", "b", "a%20b", "a=b", "%", "é"),
  fc.stringMatching(/^[\w.~%+=-]{0,12}$/),
);
const piece = fc.oneof(
  fc.tuple(name, value).map(([left, right]) => `${left}=${right}`),
  name,
);
const query = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("&"));

const TOKENS = ["a1B2c3D4e5F6g7H8i9J0", "T0000%2B1111222233334444", "123456789:AAbb_cc-dd"];
const part = fc.constantFrom("in", "", "a".repeat(40), "1".repeat(40), ...TOKENS);
const path = fc.array(part, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
const fragment = fc.constantFrom("", "#", "#end", `#${TOKENS[0]}`);

test("an address that is shown and saved unchanged keeps all its secrets, whatever it repeats", () => {
  fc.assert(
    fc.property(path, query, fragment, (way, text, end) => {
      const url = `https://erp.example${way}?${text}${end}`;
      const { vault, saved, shown, full, change } = saveUrl(url);
      expect(full(saved)).toBe(url);
      const again = change(shown);
      expect([again, full(again)]).toEqual([saved, url]);
      for (const token of TOKENS) expect(shown).not.toContain(token);
      expect(vault.addresses.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
});

test("each of several secrets with one name is kept, however they are removed, moved and replaced", () => {
  const { shown, full, change } = saveUrl("https://erp.example/in?token=a&token=b&token=c");
  const marks = shown.replace(/^[^?]*\?/, "").split("&");
  const changed = (pieces: (string | undefined)[]) =>
    full(change(`https://erp.example/in?${pieces.join("&")}`));
  expect(changed([marks[2], marks[0]])).toBe("https://erp.example/in?token=c&token=a");
  expect(changed([marks[1]])).toBe("https://erp.example/in?token=b");
  expect(changed(["token=new", marks[1]])).toBe("https://erp.example/in?token=new&token=b");
});

test("a placeholder of a secret that the address did not have is refused", () => {
  const { shown, change } = saveUrl("https://erp.example/in?token=a&token=b");
  for (const wrong of [shown.replace(/-2$/, "-3"), shown.replaceAll("token=", "sig=")])
    expect(() => change(wrong)).toThrow(expect.objectContaining({ code: "step.secret_unknown" }));
});
