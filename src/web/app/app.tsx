import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { entranceRoutes, screenRoutes } from "../../lib/console-routes.ts";
import { DevicesScreen } from "../features/devices/devices-screen.tsx";
import { OverviewScreen } from "../features/overview/overview-screen.tsx";
import { CallbackScreen } from "../features/sign-in/callback-screen.tsx";
import { withoutBase } from "../platform/base.ts";
import { loadLanguage } from "../platform/i18n/i18n.ts";
import { loadPart } from "../platform/load-part.ts";
import { language } from "../platform/preferences.ts";
import { Confirmation } from "../ui/confirmation.tsx";
import { NotFoundScreen } from "../ui/not-found.tsx";
import { BaseLocation } from "./base-location.tsx";
import { CrashGuard } from "./crash-guard.tsx";
import { SignedIn } from "./signed-in.tsx";
import { Toasts } from "./toasts.tsx";

/** A screen with its texts, which the first ones go without. */
const loadScreen = async <Part,>(load: () => Promise<Part>): Promise<Part> =>
  (await Promise.all([loadPart(load), loadLanguage(language.value)]))[0];

const SetupScreen = lazy(() =>
  loadPart(() => import("../features/setup/setup-screen.tsx")).then((m) => m.SetupScreen),
);
const SignUpScreen = lazy(() =>
  loadPart(() => import("../features/sign-in/sign-up-screen.tsx")).then((m) => m.SignUpScreen),
);
const SignInScreen = lazy(() =>
  loadScreen(() => import("../features/sign-in/sign-in-screen.tsx")).then((m) => m.SignInScreen),
);
const SharedScreen = lazy(() =>
  loadScreen(() => import("../features/dashboards/shared-screen.tsx")).then((m) => m.SharedScreen),
);
const SettingsScreen = lazy(() =>
  loadScreen(() => import("./settings-screen.tsx")).then((m) => m.SettingsScreen),
);
const SchedulerScreen = lazy(() =>
  loadScreen(() => import("../features/scheduler/scheduler-screen.tsx")).then((m) => m.SchedulerScreen),
);
const UplinksScreen = lazy(() =>
  loadScreen(() => import("../features/uplinks/uplinks-screen.tsx")).then((m) => m.UplinksScreen),
);
const ModbusScreen = lazy(() =>
  loadScreen(() => import("../features/modbus/modbus-screen.tsx")).then((m) => m.ModbusScreen),
);
const MqttClientsScreen = lazy(() =>
  loadScreen(() => import("../features/mqtt-clients/mqtt-clients-screen.tsx")).then(
    (m) => m.MqttClientsScreen,
  ),
);
const GeneratorsScreen = lazy(() =>
  loadScreen(() => import("../features/generators/generators-screen.tsx")).then((m) => m.GeneratorsScreen),
);
const AlarmsScreen = lazy(() =>
  loadScreen(() => import("../features/alarm-pages/alarms-screen.tsx")).then((m) => m.AlarmsScreen),
);
const FaultsScreen = lazy(() =>
  loadScreen(() => import("../features/faults/faults-screen.tsx")).then((m) => m.FaultsScreen),
);
const PipelinesScreen = lazy(() =>
  loadScreen(() => import("../features/pipelines/pipelines-screen.tsx")).then((m) => m.PipelinesScreen),
);
const CodecsScreen = lazy(() =>
  loadScreen(() => import("../features/codecs/codecs-screen.tsx")).then((m) => m.CodecsScreen),
);
const IntegrationsScreen = lazy(() =>
  loadScreen(() => import("../features/integrations/integrations-screen.tsx")).then(
    (m) => m.IntegrationsScreen,
  ),
);
const DashboardsScreen = lazy(() =>
  loadScreen(() => import("../features/dashboards/dashboards-screen.tsx")).then((m) => m.DashboardsScreen),
);
const ManualScreen = lazy(() =>
  loadPart(() => import("../features/manual/manual-screen.tsx")).then((m) => m.ManualScreen),
);
const ImportScreen = lazy(() =>
  loadScreen(() => import("../features/device-import/import-screen.tsx")).then((m) => m.ImportScreen),
);
const ExploreScreen = lazy(() =>
  loadScreen(() => import("../features/explore/explore-screen.tsx")).then((m) => m.ExploreScreen),
);
const DeviceScreen = lazy(() =>
  loadScreen(() => import("../features/device-page/device-screen.tsx")).then((m) => m.DeviceScreen),
);

/** Addresses of the service itself are real pages, not screens of the console. */
const CONSOLE_SCOPE = {
  test: (href: string) => /^\/(?!docs|idp|api|healthz|metrics)/.test(withoutBase(href)),
} as RegExp; // the router asks it nothing else

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
        <Route path={screenRoutes.explore} component={ExploreScreen} />
        <Route path={screenRoutes.alarms} component={AlarmsScreen} />
        <Route path={screenRoutes.faults} component={FaultsScreen} />
        <Route path={screenRoutes.pipelines} component={PipelinesScreen} />
        <Route path={screenRoutes.codecs} component={CodecsScreen} />
        <Route path={screenRoutes.integrations} component={IntegrationsScreen} />
        <Route path={screenRoutes.uplinks} component={UplinksScreen} />
        <Route path={screenRoutes.modbus} component={ModbusScreen} />
        <Route path={screenRoutes.mqttClients} component={MqttClientsScreen} />
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
      <BaseLocation>
        <CrashGuard>
          <Screens />
        </CrashGuard>
      </BaseLocation>
      <Toasts />
      <Confirmation />
    </LocationProvider>
  );
}
