import { z } from 'zod';
import { PROTOCOL, errorBody, type Operation } from '../protocol/protocol.ts';
import { STREAMS, type StreamDescription } from '../protocol/streams.ts';

type JsonSchema = Record<string, unknown>;

/** The control interface as OpenAPI 3.1; docs/openapi.json is this. */
export function openApi(version: string): JsonSchema {
  const schemas: Record<string, JsonSchema> = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
    collected(z.toJSONSchema(schema, { io }), schemas);
  const error = schemaOf(errorBody, 'output');
  const refused = {
    description: 'Refused: what, why, what to do, and a stable code.',
    content: { 'application/json': { schema: error } },
  };
  const operations = (Object.keys(PROTOCOL) as Operation[]).map((name) => {
    const { says, request, response } = PROTOCOL[name];
    return [
      `/v1/${name}`,
      {
        post: {
          operationId: name,
          summary: says,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(request, 'input') } },
          },
          responses: {
            200: {
              description: 'Done.',
              content: { 'application/json': { schema: schemaOf(response, 'output') } },
            },
            default: refused,
          },
        },
      },
    ] as const;
  });
  const streams = Object.entries(STREAMS).map(([name, stream]) => [
    stream.path,
    streamPath(name, stream, refused),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'receiptd control interface',
      version,
      description:
        'What the running agent can be asked. The command line asks over the control socket of the state directory, the console over HTTP with a session. An operation is asked for with POST and a JSON object, and answered with one.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The control socket, or the address of the console.' }],
    security: [{}, { session: [] }],
    paths: Object.fromEntries([...operations, ...streams]),
    components: {
      schemas,
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'receiptd-<port>',
          description: 'Over HTTP only. The control socket asks for no more than the right to open it.',
        },
      },
    },
  };
}

function streamPath(
  name: string,
  { path, says, types, query }: StreamDescription,
  refused: JsonSchema,
): JsonSchema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => ({
    name: param,
    in: 'path',
    required: true,
    description: 'Number of the document.',
    schema: { type: 'integer' },
  }));
  const inQuery = Object.entries(query).map(([param, description]) => ({
    name: param,
    in: 'query',
    description,
    schema: { type: 'string' },
  }));
  return {
    get: {
      operationId: name,
      summary: says,
      parameters: [...inPath, ...inQuery],
      responses: {
        200: {
          description: 'What was asked for.',
          content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
        },
        default: refused,
      },
    },
  };
}

/** Definitions move to where all of them lie. */
function collected(schema: JsonSchema, into: Record<string, JsonSchema>): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = JSON.parse(text) as JsonSchema & {
    readonly $defs?: Record<string, JsonSchema>;
  };
  for (const [name, { id: __, ...definition }] of Object.entries($defs)) into[name] = definition;
  const { id, ...own } = rest;
  if (typeof id !== 'string') return rest;
  into[id] = own;
  return { $ref: `#/components/schemas/${id}` };
}
