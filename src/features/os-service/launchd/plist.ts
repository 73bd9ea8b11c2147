import { runCommand, SERVICE_NAME, type HostedAgent } from '../agent.ts';
import { mark } from '../mark.ts';
import { xmlComment, xmlText } from '../xml.ts';

/** 022: people read files that the agent writes for them; it makes its own files private itself. launchd expects decimal. */
const UMASK = 0o022;
const STOP_MARGIN = 30;

type PlistValue = string | number | boolean | readonly string[] | { readonly [key: string]: PlistValue };

/** A launchd job: a LaunchDaemon if `user` is given, otherwise a LaunchAgent of the installing user. */
export function launchdPlist(agent: HostedAgent, user: string | null): string {
  const job: PlistValue = {
    Label: SERVICE_NAME,
    ProgramArguments: runCommand(agent),
    ...(user !== null && { UserName: user }),
    ...(Object.keys(agent.environment).length > 0 && { EnvironmentVariables: agent.environment }),
    WorkingDirectory: '/',
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 10,
    ExitTimeOut: Math.ceil(agent.graceMs / 1_000) + STOP_MARGIN,
    Umask: UMASK,
    HardResourceLimits: { Core: 0 },
    ProcessType: 'Standard',
  };
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    element(job, ''),
    '</plist>',
    '',
  ].join('\n');
  return mark(text, xmlComment, 2);
}

function element(value: PlistValue, indent: string): string {
  const deeper = `${indent}  `;
  if (typeof value === 'string') return `${indent}<string>${xmlText(value)}</string>`;
  if (typeof value === 'number') return `${indent}<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `${indent}<${value}/>`;
  if (isList(value)) {
    return [`${indent}<array>`, ...value.map((each) => element(each, deeper)), `${indent}</array>`].join(
      '\n',
    );
  }
  const pairs = Object.entries(value).flatMap(([key, each]) => [
    `${deeper}<key>${xmlText(key)}</key>`,
    element(each, deeper),
  ]);
  return [`${indent}<dict>`, ...pairs, `${indent}</dict>`].join('\n');
}

function isList(value: PlistValue): value is readonly string[] {
  return Array.isArray(value);
}
