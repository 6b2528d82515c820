import { CircleCheck, TriangleAlert, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useMemo, useRef } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { entranceRoutes, screenRoutes } from "../../lib/console/console-routes.ts";
import { DevicesScreen } from "../features/devices/devices-screen.tsx";
import { OverviewScreen } from "../features/overview/overview-screen.tsx";
import { CallbackScreen } from "../features/sign-in/callback-screen.tsx";
import { Onboarding } from "../features/sign-in/onboarding-screen.tsx";
import { loadAppearance } from "../platform/appearance.ts";
import { withBase, withoutBase } from "../platform/base.ts";
import { loadLanguage, t } from "../platform/i18n/i18n.ts";
import { isHeldBack } from "../platform/leave-guard.ts";
import { live } from "../platform/live.ts";
import { loadPart } from "../platform/load-part.ts";
import { language } from "../platform/preferences.ts";
import { useResource } from "../platform/resource.ts";
import { me, sessionId, startSignIn, token } from "../platform/session.ts";
import { sessionApi } from "../platform/session-api.ts";
import { dismiss, toasts } from "../platform/toasts.ts";
import { Confirmation } from "../ui/confirmation.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Entrance } from "../ui/page/entrance.tsx";
import { Loaded } from "../ui/page/loaded.tsx";
import { NotFoundScreen } from "../ui/page/not-found.tsx";
import { Shell } from "./shell.tsx";

/** Loads a screen with its texts, which the first screens do not need. */
const loadScreen = async <Part,>(load: () => Promise<Part>): Promise<Part> =>
  (await Promise.all([loadPart(load), loadLanguage(language.value)]))[0];

const SetupScreen = lazy(() =>
  loadScreen(() => import("../features/setup/setup-screen.tsx")).then((m) => m.SetupScreen),
);
const SignUpScreen = lazy(() =>
  loadScreen(() => import("../features/sign-in/sign-up-screen.tsx")).then((m) => m.SignUpScreen),
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
const FieldScreen = lazy(() =>
  loadScreen(() => import("../features/field-screen/field-screen.tsx")).then((m) => m.FieldScreen),
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
  loadScreen(() => import("../features/alarms/pages/alarms-screen.tsx")).then((m) => m.AlarmsScreen),
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

/** Addresses of the service itself, which are real pages instead of screens of the console. */
const CONSOLE_SCOPE = {
  test: (href: string) => /^\/(?!docs|idp|api|healthz|metrics)/.test(withoutBase(href)),
} as RegExp; // the router calls nothing else

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
        <Route path={screenRoutes.field} component={FieldScreen} />
        <Route path={screenRoutes.modbus} component={FieldScreen} />
        <Route path={screenRoutes.s7} component={FieldScreen} />
        <Route path={screenRoutes.bacnet} component={FieldScreen} />
        <Route path={screenRoutes.opcua} component={FieldScreen} />
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

/** Lets the screens below it use paths without the base. The router outside of it uses those of the browser. */
function BaseLocation({ children }: { children: ComponentChildren }) {
  const outer = useLocation();
  const inner = useMemo(
    () => ({
      ...outer,
      url: withoutBase(outer.url),
      path: withoutBase(outer.path),
      route: (url: string, replace?: boolean) => {
        const leave = () => outer.route(withBase(url), replace);
        if (!isHeldBack(leave)) leave();
      },
    }),
    [outer],
  );
  return <LocationProvider.ctx.Provider value={inner}>{children}</LocationProvider.ctx.Provider>;
}

/** Shows a helpful page after a bug instead of a blank one. The cause is in the console of the browser. */
function CrashGuard({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((cause: unknown) => reportError(cause));
  if (!error) return children;
  return (
    <Entrance title={t("error.title")}>
      <p class="mb-4">{t("error.unexpected")}</p>
      <div class="flex gap-2">
        <button type="button" class="btn btn-primary" onClick={() => location.reload()}>
          {t("error.reload")}
        </button>
        <button type="button" class="btn" onClick={() => location.assign(withBase("/"))}>
          {t("nav.overview")}
        </button>
      </div>
    </Entrance>
  );
}

function Toasts() {
  return (
    <div class="toasts fixed inset-x-3 z-50 flex flex-col items-end gap-2" aria-live="polite">
      {toasts.value.map((toast) => (
        <div
          key={toast.id}
          class={`panel flex max-w-md items-start gap-3 border-l-4 px-4 py-3 shadow-lg ${
            toast.kind === "success" ? "border-l-success" : "border-l-error"
          }`}
        >
          {toast.kind === "success" ? (
            <CircleCheck size={18} class="mt-0.5 flex-none text-success" aria-hidden="true" />
          ) : (
            <TriangleAlert size={18} class="mt-0.5 flex-none text-error" aria-hidden="true" />
          )}
          <p class="min-w-0 break-words">{toast.text}</p>
          <IconButton
            icon={X}
            size={14}
            label={t("common.close")}
            class="btn btn-ghost btn-xs btn-square"
            onClick={() => dismiss(toast.id)}
          />
        </div>
      ))}
    </div>
  );
}

/** Part of the console that requires sign-in. Without a token, it goes to the hosted page and returns to the same address. */
function SignedIn({ children }: { children: ComponentChildren }) {
  const { url } = useLocation();
  const signedIn = token.value !== undefined;
  useEffect(() => {
    if (!signedIn) startSignIn(url);
  }, [signedIn]);
  if (!signedIn) return <p class="grid h-full place-items-center text-soft">{t("signIn.leaving")}</p>;
  return <WithProfile>{children}</WithProfile>;
}

function WithProfile({ children }: { children: ComponentChildren }) {
  const { url, route } = useLocation();
  const profile = useResource(async () => {
    const signedIn = await sessionApi.me();
    // A link to the overview leads there; the start page is only for opening the console.
    const isOpened = url === screenRoutes.overview && !signedIn.onboardingRequired;
    const start = isOpened ? await sessionApi.startPage() : null;
    if (start !== null) route(`/dashboards/${start}`, true);
    return signedIn;
  }, [sessionId.value]);
  const ready = profile.data !== undefined && !profile.data.onboardingRequired;
  const existing = useRef(profile.data);
  // Once per response; later changes of the user are only in `me`.
  if (profile.data !== existing.current) {
    existing.current = profile.data;
    if (profile.data) me.value = profile.data;
  }
  useEffect(() => {
    if (!ready) return;
    loadAppearance(true);
    live.start();
    return () => live.stop();
  }, [ready]);
  if (profile.data === undefined)
    return (
      <div class="mx-auto max-w-lg p-4 pt-16">
        <Loaded of={profile} />
      </div>
    );
  return ready ? <Shell>{children}</Shell> : <Onboarding onDone={profile.set} />;
}
