/** A stateless load balancer: each connection goes to the next node that accepts it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  port: number;
  /** The ports of the nodes; may be changed at any time. */
  nodes: number[];
  close(): Promise<void>;
}

export async function startBalancer(nodes: number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let next = 0;
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, async (client) => {
    open.add(client);
    client.on('error', () => {}).once('close', () => open.delete(client));
    for (let left = balancer.nodes.length; left > 0; left--) {
      const node = await connectTo(balancer.nodes[next++ % balancer.nodes.length]!);
      if (node) return pipeBoth(client, node);
    }
    client.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    for (const socket of open) socket.destroy();
    await once(server, 'close');
  };
  const balancer: Balancer = { port, nodes, close };
  return balancer;
}

function connectTo(port: number): Promise<Socket | undefined> {
  const node = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  return new Promise((resolve) => {
    node.once('connect', () => resolve(node)).once('error', () => resolve(undefined));
  });
}

/** Forwards data in both directions; if one connection breaks, the other is closed. */
function pipeBoth(client: Socket, node: Socket): void {
  node.on('error', () => client.destroy()).once('close', () => client.destroySoon());
  client.once('close', () => node.destroy());
  client.pipe(node);
  node.pipe(client);
}
