import { render } from "preact";
import { App } from "./app.tsx";
import { watchNetwork } from "./state/live.ts";
import { startClock } from "./state/now.ts";
import { watchPreferences } from "./state/preferences.ts";
import { watchOtherTabs } from "./state/session.ts";

watchPreferences();
watchOtherTabs();
watchNetwork();
startClock();
render(<App />, document.getElementById("app")!);
