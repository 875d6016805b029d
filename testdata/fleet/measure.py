#!/usr/bin/env python3
"""What one dump costs, for FLEET.md: sizing.py computes a fleet from it.

    measure.py BIN_FOLDER TRACE >FILE

Writes a line for each number: name, value, unit, and the command it is of, separated by tabs. Times are
processor seconds, of all threads and processes, in the program and in the system: they hardly depend on
what else the machine does. The profiles are makefleet's, about 1 MB each, compressed: one service in two
versions on six hosts. TRACE should be a trace of your own, of some hundred megabytes. Where there is a
clickhouse-server, one is started on loopback, and what is loaded into it measured, too."""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

BIN = os.path.abspath(sys.argv[1])
TRACE = os.path.abspath(sys.argv[2])
HOSTS, DUMPS = 6, 5


def run(*args):
    """Processor seconds and the greatest memory of a command."""
    pid = os.posix_spawn(os.path.join(BIN, args[0]), args, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit(f'{" ".join(args)}: status {status}')
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, used.ru_oublock * 512


def say(name, value, unit, *command):
    text = ' '.join(command).replace(scratch + '/', '').replace(TRACE, 'TRACE')
    print(name, f'{value:.6g}', unit, text, sep='\t', flush=True)


CONFIG = """<yandex><logger><level>warning</level><log>log</log><errorlog>errors</errorlog></logger>
<http_port>{}</http_port><tcp_port>{}</tcp_port><interserver_http_port>{}</interserver_http_port>
<listen_host>127.0.0.1</listen_host><path>data/</path><tmp_path>tmp/</tmp_path>
<user_files_path>files/</user_files_path><format_schema_path>schemas/</format_schema_path>
<users_config>users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><timezone>UTC</timezone>
<mark_cache_size>67108864</mark_cache_size></yandex>"""
USERS = """<yandex><profiles><default/></profiles><users><default><password/>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<quotas><default/></quotas></yandex>"""


class Engine:
    def __init__(self):
        kept = [socket.socket() for _ in range(3)]
        for s in kept:
            s.bind(('127.0.0.1', 0))
        ports = [s.getsockname()[1] for s in kept]
        for s in kept:
            s.close()
        os.makedirs('engine')
        with open('engine/config.xml', 'w') as f:
            f.write(CONFIG.format(*ports))
        with open('engine/users.xml', 'w') as f:
            f.write(USERS)
        self.port = ports[0]
        self.process = subprocess.Popen(['clickhouse-server', '--config-file=config.xml'], cwd='engine',
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            time.sleep(0.2)
            try:
                self.ask('SELECT 1')
                return
            except OSError:
                pass
        sys.exit('clickhouse-server does not start')

    def ask(self, sql):
        return urllib.request.urlopen(f'http://127.0.0.1:{self.port}/', sql.encode()).read().decode()

    def seconds(self):
        with open(f'/proc/{self.process.pid}/stat') as f:
            fields = f.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def settle(self):
        """Until it has merged what was loaded, which it does by itself."""
        idle = 0
        for _ in range(600):
            idle = idle + 1 if self.ask('SELECT count() FROM system.merges').strip() == '0' else 0
            if idle == 5:
                return
            time.sleep(0.5)

    def stop(self):
        self.process.kill()
        self.process.wait()


def measure_engine(n):
    engine = Engine()
    try:
        url = f'clickhouse://127.0.0.1:{engine.port}/fleet'
        before = engine.seconds()
        command = ['tprof-export', '--clickhouse=' + url, 'all.tprof']
        s, _, _ = run(*command)
        shown = ['tprof-export', '--clickhouse=clickhouse://HOST/fleet', 'all.tprof']
        say('clickhouse_export', s / n, 's', *shown)
        engine.settle()
        say('clickhouse_load', (engine.seconds() - before) / n, 's', 'clickhouse-server, meanwhile')
        parts = "FROM system.parts WHERE active AND database = 'fleet'"
        say('clickhouse_rows', int(engine.ask('SELECT sum(rows) ' + parts)) / n, 'rows', 'SELECT sum(rows)', parts)
        say('clickhouse_bytes', int(engine.ask('SELECT sum(bytes_on_disk) ' + parts)) / n, 'bytes',
            'SELECT sum(bytes_on_disk)', parts)
        before = engine.seconds()
        s, _, _ = run('tprof-top', '--sample-index=cpu', '--run=all', url + '?label=version=v1')
        shown = ['tprof-top', '--run=all', '--sample-index=cpu', "'clickhouse://HOST/fleet?label=version=v1'"]
        say('clickhouse_sum', (engine.seconds() - before) / (n / 4), 's', 'clickhouse-server, for:', *shown)
        say('clickhouse_sum_command', s, 's', *shown)
    finally:
        engine.stop()


scratch = tempfile.mkdtemp(prefix='tprof-fleet-')
try:
    os.chdir(scratch)
    make = ['makefleet', '-S', '1', '-H', str(HOSTS), '-d', str(DUMPS), '-n', '100000', '-b', '12', '-p', '0',
            'fleet']
    run(*make)
    n = 2 * 2 * HOSTS * DUMPS
    dumps = [os.path.join(d, f) for d, _, files in os.walk('fleet/dumps') for f in files]
    assert len(dumps) == n
    given = sum(os.path.getsize(d) for d in dumps)
    say('profile_bytes', given / n, 'bytes', *make)

    # Two halves, as two machines would have them.
    with open('fleet/list') as f:
        lines = f.readlines()
    for half in (0, 1):
        with open(f'list{half}', 'w') as f:
            f.writelines(lines[half * n // 2:(half + 1) * n // 2])
    seconds = written = 0
    command = ['tprof-import', '-j', '1', '-o', 'half0.tprof', '@list0']
    for half in (0, 1):
        s, peak, w = run(*[a.replace('0', str(half)) for a in command])
        seconds, written = seconds + s, written + w
    say('profile_import', seconds / n, 's', *command)
    say('profile_import_peak', peak, 'bytes', *command)
    say('profile_import_written', written / n, 'bytes', *command)
    stores = [os.path.getsize(f'half{half}.tprof') for half in (0, 1)]
    say('profile_stored', sum(stores) / n, 'bytes', 'ls -l half0.tprof')

    command = ['tprof-merge', '-o', 'all.tprof', 'half0.tprof', 'half1.tprof']
    s, peak, w = run(*command)
    say('profile_merge', s / n, 's', *command)
    say('profile_merge_peak', peak, 'bytes', *command)
    say('profile_merge_written', w / n, 'bytes', *command)
    say('profile_merged', os.path.getsize('all.tprof') / n, 'bytes', 'ls -l all.tprof')
    # What is merged already, once more with the next: what each level of a tree costs.
    command = ['tprof-merge', '-o', 'again.tprof', 'all.tprof']
    say('profile_merge_again', run(*command)[0] / n, 's', *command)

    command = ['tprof-top', '--run=1', 'all.tprof']
    say('top_run', run(*command)[0], 's', *command)
    command = ['tprof-diff', '--base-label=version=v1', '--label=version=v2', '--sample-index=cpu',
               '--average-by=host', '--normalize', '-n', '5', 'all.tprof']
    s, peak, _ = run(*command)
    say('diff_run', s / (n / 2), 's', *command)
    say('diff_peak_run', peak / (n / 2), 'bytes', *command)
    command = ['tprof-top', '--run=version=v1', '--sample-index=cpu', 'all.tprof']
    say('sum_run', run(*command)[0] / (n / 4), 's', *command)

    if shutil.which('clickhouse-server'):
        measure_engine(n)

    command = ['tprof-import', '-o', 'trace.tprof', TRACE]
    s, peak, w = run(*command)
    size = os.path.getsize(TRACE)
    say('trace_bytes', size, 'bytes', 'ls -l', TRACE)
    say('trace_import', s / size, 's/byte', *command)
    say('trace_import_peak', peak, 'bytes', *command)
    say('trace_stored', os.path.getsize('trace.tprof') / size, 'bytes/byte', 'ls -l trace.tprof')
    command = ['tprof-merge', '-o', 'traces.tprof', 'trace.tprof', 'half0.tprof']
    s, peak, w = run(*command)
    say('trace_merge', s / size, 's/byte', *command)
    command = ['tprof-top', '--run=' + os.path.basename(TRACE), 'traces.tprof']
    say('trace_top', run(*command)[0], 's', *command)
finally:
    subprocess.run(['rm', '-rf', scratch], check=False)
