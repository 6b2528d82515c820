// Name, logo and colors of the site. The last ones are stored, so that nothing flashes when a page opens.
import { effect, signal } from "@preact/signals";
import type { appearanceBody } from "../../modules/tenants/tenants.schemas.ts";
import type { Wire } from "../lib/wire.ts";
import { get } from "./api-client.ts";
import { readStored, writeStored } from "./preferences.ts";

export type Appearance = Wire<typeof appearanceBody>;
type ThemeColors = NonNullable<Appearance["colors"]>["light"];

const KEY = "lineside.appearance";
const AS_IT_COMES: Appearance = { name: null, logo: null, colors: null };

function stored(): Appearance {
  try {
    // Written only by `showAppearance` below.
    return (JSON.parse(readStored(KEY) ?? "null") as Appearance | null) ?? AS_IT_COMES;
  } catch {
    return AS_IT_COMES;
  }
}

export const appearance = signal<Appearance>(stored());
export const productName = (): string => appearance.value.name ?? "Lineside";

export function showAppearance(shown: Appearance): void {
  if (JSON.stringify(shown) === JSON.stringify(appearance.value)) return;
  appearance.value = shown;
  writeStored(KEY, shown.name || shown.logo || shown.colors ? JSON.stringify(shown) : undefined);
}

/** Loads the current branding. Without a response, the displayed branding stays. */
export async function loadAppearance(signedIn: boolean): Promise<void> {
  try {
    showAppearance(
      signedIn
        ? (await get<{ appearance: Appearance }>("/api/tenant/branding")).appearance
        : await get<Appearance>("/api/branding"),
    );
  } catch {
    // The page itself says what is wrong with the connection.
  }
}

const rulesOf = ({ primary, onPrimary }: ThemeColors): string =>
  `--color-primary:${primary};--color-primary-content:${onPrimary}`;

/** Overrides the colors of the themes (styles.css). */
export function watchAppearance(): void {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  effect(() => {
    const { colors } = appearance.value;
    const dark = colors && rulesOf(colors.dark);
    sheet.replaceSync(
      colors
        ? `html:root{${rulesOf(colors.light)}}@media(prefers-color-scheme:dark){html:root:not([data-theme]){${dark}}}html:root[data-theme=lineside-dark]{${dark}}`
        : "",
    );
  });
}
