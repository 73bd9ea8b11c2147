import type { IncomingMessage } from 'node:http';
import { drain } from '../body.ts';
import { COMPANY } from '../endpoints.ts';
import { json } from '../reply.ts';
import type { SandboxReply } from '../reply.ts';
import { refuseUnauthorized } from './authorize.ts';
import type { Service } from './service.ts';

/** Interface 4.2. */
export async function whoami(service: Service, request: IncomingMessage): Promise<SandboxReply> {
  await drain(request);
  return (
    refuseUnauthorized(service.tokens, request) ??
    json(200, { company: COMPANY.name, message: 'The sandbox works, and you are authenticated.' })
  );
}
