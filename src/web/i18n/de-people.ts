import type { enPeople } from "./en-people.ts";

export const dePeople: Readonly<Record<keyof typeof enPeople, string>> = {
  "page.profile": "Mein Profil",

  "profile.person": "Zur Person",
  "profile.emailHint": "Nur ein Administrator kann sie ändern: Sie melden sich damit an.",
  "user.fullName": "Name",
  "user.email": "E-Mail",
  "user.role": "Rolle",
  "roleHint.TENANT_OWNER": "Darf alles, auch andere Inhaber verwalten.",
  "roleHint.TENANT_ADMIN":
    "Darf alles außer bei Inhabern: Benutzer, Schlüssel und Einstellungen des Standorts.",
  "roleHint.TENANT_RW": "Sieht und ändert Geräte, Attribute und Dashboards, aber keine Benutzer.",
  "roleHint.TENANT_READ_ONLY": "Sieht alles Freigegebene und ändert nichts.",

  "notify.title": "Benachrichtigungen",
  "notify.hint": "Zu welchen Alarmen eine Nachricht kommt, und auf welchem Weg.",
  "notify.when": "Wenn ein Alarm",
  "notify.notifyOnAlarmCreated": "ausgelöst wird",
  "notify.notifyOnAlarmEscalated": "die nächste Stufe erreicht",
  "notify.notifyOnAlarmCleared": "aufgehoben wird",
  "notify.severities": "Bei diesen Schweregraden",
  "notify.how": "Per",
  "notify.notificationsEmailEnabled": "E-Mail",
  "notify.notificationsMessagingEnabled": "Textnachricht",
  "notify.phone": "Telefonnummer",
  "notify.phoneHint": "Für Textnachrichten, mit Landesvorwahl.",
  "notify.phoneRule": "Eine Telefonnummer wie +49 170 1234567",
  "notify.level": "Ab Stufe",
  "notify.levelHint": "Ein Alarm, den niemand quittiert, steigt von Stufe zu Stufe.",
  "level.1": "1: sofort",
  "level.2": "2: wenn niemand reagiert",
  "level.3": "3: als letztes Mittel",
  "severity.WARNING": "Warnung",
  "severity.MINOR": "Gering",
  "severity.MAJOR": "Erheblich",
  "severity.CRITICAL": "Kritisch",

  "problem.emailTaken":
    "Diese Adresse hat schon jemand. Jede Adresse gehört im ganzen Gateway nur einem Benutzer.",
};
