import { render } from "preact";
import { App } from "./app/app.tsx";
import { watchBase } from "./app/base-links.ts";
import { watchAppearance } from "./platform/appearance.ts";
import { watchCutTexts } from "./platform/cut-texts.ts";
import { loadFirstTexts, loadLanguage } from "./platform/i18n/i18n.ts";
import { keepSignedIn } from "./platform/keep-signed-in.ts";
import { watchNetwork } from "./platform/live.ts";
import { startClock } from "./platform/now.ts";
import { language, watchPreferences } from "./platform/preferences.ts";
import { watchOtherTabs } from "./platform/session.ts";

watchBase();
watchPreferences();
watchAppearance();
watchOtherTabs();
watchNetwork();
watchCutTexts();
startClock();
keepSignedIn();
await loadFirstTexts(language.value);
render(<App />, document.getElementById("app")!);
// The next screen finds its texts there; otherwise it loads them itself.
loadLanguage(language.value).catch(() => undefined);
