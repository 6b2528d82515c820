import type { appEn } from "./texts.en.ts";

export const appDe: Readonly<Record<keyof typeof appEn, string>> = {
  "nav.label": "Hauptmenü",
  "nav.skip": "Zum Inhalt springen",
  "nav.overview": "Übersicht",
  "nav.devices": "Geräte",
  "nav.explore": "Erkunden",
  "nav.integrations": "Anbindungen",
  "nav.pipelines": "Pipelines",
  "nav.scheduler": "Zeitplan",
  "nav.mqttClients": "MQTT-Clients",
  "nav.modbus": "Modbus",
  "nav.uplinks": "Uplinks",
  "nav.generators": "Generatoren",
  "nav.dashboards": "Dashboards",
  "nav.settings": "Einstellungen",
  "nav.group.watch": "Überwachen",
  "nav.group.automate": "Automatisieren",
  "nav.group.connect": "Anbinden",
  "nav.group.manage": "Verwalten",
  "nav.more": "Mehr",
  "nav.trail": "Wo Sie sind",

  "manual.title": "Handbuch",

  "palette.open": "Suchen",
  "palette.label": "Geräte, Dashboards, Alarme, Einstellungen und Hilfe finden",
  "palette.placeholder": "Gerät, Dashboard, Alarm, Regel, Hilfe …",
  "palette.none": "Nichts gefunden. Versuchen Sie weniger Buchstaben.",
  "palette.rule": "Alarmregel",
  "palette.screen": "Ansicht",
  "palette.action": "Aktion",

  "theme.label": "Darstellung",
  "theme.light": "Hell",
  "theme.dark": "Dunkel",
  "theme.system": "Auto",
  "language.label": "Sprache",
  "account.label": "Konto und Darstellung",
  "account.stay": "Auf diesem Rechner angemeldet bleiben",
  "account.docs": "API-Dokumentation",
  "account.signOut": "Abmelden",

  "page.security": "Sicherheit",

  "readiness.banner": "Das Gateway ist nicht bereit.",
  "readiness.details": "Einzelheiten",

  "acting.banner": "Sie handeln als {name}.",
  "acting.hint": "Was Sie tun, steht auch unter Ihrem Namen im Protokoll.",
  "acting.stop": "Vertretung beenden",
  "acting.start": "Als diese Person handeln",
  "acting.startHint":
    "Sehen, was diese Person sieht, etwa um zu helfen. Ihr eigener Name bleibt im Protokoll.",
  "acting.notOwn":
    "Sie handeln als jemand anderes. Passwort, zweiter Faktor und Sitzungen gehören allein dieser Person.",
  "nav.alarms": "Alarme",
  "nav.faults": "Störungen",
  "nav.codecs": "Codecs",
  "page.notifications": "Benachrichtigungen",
  "page.profile": "Mein Profil",

  "page.users": "Benutzer",

  "page.api-keys": "API-Schlüssel",
  "page.profiles": "Geräteprofile",
  "page.site": "Standort und Tarif",

  "page.branding": "Erscheinungsbild",

  "settings.group.account": "Ihr Konto",
  "settings.group.site": "Standort",
  "settings.group.gateway": "Gateway",
  "page.audit": "Protokoll",

  "page.outbox": "Postausgang",
  "page.backups": "Sicherungen",
  "page.system": "System",
  "page.log": "Log",
};
