import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { CrashGuard } from "./components/crash-guard.tsx";
import { SignedIn } from "./components/signed-in.tsx";
import { Toasts } from "./components/toasts.tsx";
import { loadLanguage } from "./i18n/i18n.ts";
import { CallbackScreen } from "./screens/callback.tsx";
import { DevicesScreen } from "./screens/devices.tsx";
import { NotFoundScreen } from "./screens/not-found.tsx";
import { OverviewScreen } from "./screens/overview.tsx";
import { loadPart } from "./state/load-part.ts";
import { language } from "./state/preferences.ts";

/** A screen with its texts, which the first ones go without. */
const loadScreen = async <Part,>(load: () => Promise<Part>): Promise<Part> =>
  (await Promise.all([loadPart(load), loadLanguage(language.value)]))[0];

const SetupScreen = lazy(() => loadPart(() => import("./screens/setup.tsx")).then((m) => m.SetupScreen));
const SignUpScreen = lazy(() => loadPart(() => import("./screens/sign-up.tsx")).then((m) => m.SignUpScreen));
const SignInScreen = lazy(() =>
  loadScreen(() => import("./screens/sign-in.tsx")).then((m) => m.SignInScreen),
);
const SharedScreen = lazy(() => loadScreen(() => import("./screens/shared.tsx")).then((m) => m.SharedScreen));
const SettingsScreen = lazy(() =>
  loadScreen(() => import("./screens/settings.tsx")).then((m) => m.SettingsScreen),
);
const SchedulerScreen = lazy(() =>
  loadScreen(() => import("./screens/scheduler.tsx")).then((m) => m.SchedulerScreen),
);
const GeneratorsScreen = lazy(() =>
  loadScreen(() => import("./screens/generators.tsx")).then((m) => m.GeneratorsScreen),
);
const AlarmsScreen = lazy(() => loadScreen(() => import("./screens/alarms.tsx")).then((m) => m.AlarmsScreen));
const PipelinesScreen = lazy(() =>
  loadScreen(() => import("./screens/pipelines.tsx")).then((m) => m.PipelinesScreen),
);
const CodecsScreen = lazy(() => loadScreen(() => import("./screens/codecs.tsx")).then((m) => m.CodecsScreen));
const IntegrationsScreen = lazy(() =>
  loadScreen(() => import("./screens/integrations.tsx")).then((m) => m.IntegrationsScreen),
);
const DashboardsScreen = lazy(() =>
  loadScreen(() => import("./screens/dashboards.tsx")).then((m) => m.DashboardsScreen),
);
const ManualScreen = lazy(() => loadPart(() => import("./screens/manual.tsx")).then((m) => m.ManualScreen));
const ImportScreen = lazy(() => loadScreen(() => import("./screens/import.tsx")).then((m) => m.ImportScreen));
const DeviceScreen = lazy(() => loadScreen(() => import("./screens/device.tsx")).then((m) => m.DeviceScreen));

/** Addresses of the service itself are real pages, not screens of the console. */
const CONSOLE_SCOPE = /^\/(?!docs|idp|api|healthz|metrics)/;

function Screens() {
  const { path } = useLocation();
  if (path === "/setup")
    return (
      <ErrorBoundary>
        <SetupScreen />
      </ErrorBoundary>
    );
  if (path === "/sign-up")
    return (
      <ErrorBoundary>
        <SignUpScreen />
      </ErrorBoundary>
    );
  if (path === "/sign-in")
    return (
      <ErrorBoundary>
        <SignInScreen />
      </ErrorBoundary>
    );
  if (path === "/shared")
    return (
      <ErrorBoundary>
        <SharedScreen />
      </ErrorBoundary>
    );
  if (path === "/auth/callback") return <CallbackScreen />;
  return (
    <SignedIn>
      <Router>
        <Route path="/" component={OverviewScreen} />
        <Route path="/devices" component={DevicesScreen} />
        <Route path="/devices/import" component={ImportScreen} />
        <Route path="/devices/:deviceId/:tab?" component={DeviceScreen} />
        <Route path="/dashboards/:dashboardId?" component={DashboardsScreen} />
        <Route path="/alarms/:alarmId?" component={AlarmsScreen} />
        <Route path="/pipelines/:pipelineId?/:tab?" component={PipelinesScreen} />
        <Route path="/integrations/codecs/:codecId?" component={CodecsScreen} />
        <Route path="/integrations/:integrationId?/:tab?" component={IntegrationsScreen} />
        <Route path="/scheduler/:jobId?" component={SchedulerScreen} />
        <Route path="/generators" component={GeneratorsScreen} />
        <Route path="/manual/:page?" component={ManualScreen} />
        <Route path="/settings/:page?/:id?" component={SettingsScreen} />
        <Route default component={NotFoundScreen} />
      </Router>
    </SignedIn>
  );
}

export function App() {
  return (
    <LocationProvider scope={CONSOLE_SCOPE}>
      <CrashGuard>
        <Screens />
      </CrashGuard>
      <Toasts />
    </LocationProvider>
  );
}
