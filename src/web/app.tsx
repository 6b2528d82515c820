import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { entranceRoutes, screenRoutes } from "../lib/console-routes.ts";
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
  if (path === entranceRoutes.setup)
    return (
      <ErrorBoundary>
        <SetupScreen />
      </ErrorBoundary>
    );
  if (path === entranceRoutes.signUp)
    return (
      <ErrorBoundary>
        <SignUpScreen />
      </ErrorBoundary>
    );
  if (path === entranceRoutes.signIn)
    return (
      <ErrorBoundary>
        <SignInScreen />
      </ErrorBoundary>
    );
  if (path === entranceRoutes.shared)
    return (
      <ErrorBoundary>
        <SharedScreen />
      </ErrorBoundary>
    );
  if (path === entranceRoutes.callback) return <CallbackScreen />;
  return (
    <SignedIn>
      <Router>
        <Route path={screenRoutes.overview} component={OverviewScreen} />
        <Route path={screenRoutes.devices} component={DevicesScreen} />
        <Route path={screenRoutes.deviceImport} component={ImportScreen} />
        <Route path={screenRoutes.device} component={DeviceScreen} />
        <Route path={screenRoutes.dashboards} component={DashboardsScreen} />
        <Route path={screenRoutes.alarms} component={AlarmsScreen} />
        <Route path={screenRoutes.pipelines} component={PipelinesScreen} />
        <Route path={screenRoutes.codecs} component={CodecsScreen} />
        <Route path={screenRoutes.integrations} component={IntegrationsScreen} />
        <Route path={screenRoutes.scheduler} component={SchedulerScreen} />
        <Route path={screenRoutes.generators} component={GeneratorsScreen} />
        <Route path={screenRoutes.manual} component={ManualScreen} />
        <Route path={screenRoutes.settings} component={SettingsScreen} />
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
