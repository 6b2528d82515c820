import { render } from "preact";
import { App } from "./app.tsx";
import { loadFirstTexts, loadLanguage } from "./i18n/i18n.ts";
import { watchAppearance } from "./state/appearance.ts";
import { keepSignedIn } from "./state/keep-signed-in.ts";
import { watchNetwork } from "./state/live.ts";
import { startClock } from "./state/now.ts";
import { language, watchPreferences } from "./state/preferences.ts";
import { watchOtherTabs } from "./state/session.ts";

watchPreferences();
watchAppearance();
watchOtherTabs();
watchNetwork();
startClock();
keepSignedIn();
await loadFirstTexts(language.value);
render(<App />, document.getElementById("app")!);
// What is opened next finds its texts there; without them it asks again.
loadLanguage(language.value).catch(() => undefined);
