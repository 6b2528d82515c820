import { render } from "preact";
import { App } from "./app.tsx";
import { watchAppearance } from "./state/appearance.ts";
import { keepSignedIn } from "./state/keep-signed-in.ts";
import { watchNetwork } from "./state/live.ts";
import { startClock } from "./state/now.ts";
import { watchPreferences } from "./state/preferences.ts";
import { watchOtherTabs } from "./state/session.ts";

watchPreferences();
watchAppearance();
watchOtherTabs();
watchNetwork();
startClock();
keepSignedIn();
render(<App />, document.getElementById("app")!);
