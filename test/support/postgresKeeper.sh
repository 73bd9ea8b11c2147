# Ends the PostgreSQL clusters under a directory and removes it, once standard input ends: with the run that it keeps them
# for, however that ends.
# usage: sh postgresKeeper.sh DIRECTORY < (a pipe that the run holds, or /dev/null for what an earlier one left)
dir=$1
echo $$ >"$dir/keeper.new" && mv "$dir/keeper.new" "$dir/keeper"
cat >/dev/null

# A number in a file may be another process's by now.
is_ours() {
  if [ -r "/proc/$1/cmdline" ]; then cat "/proc/$1/cmdline"; else ps -o command= -p "$1"; fi 2>/dev/null |
    grep -qaF "$dir/"
}
for file in "$dir"/*/data/postmaster.pid; do
  [ -f "$file" ] || continue
  pid=$(head -n 1 "$file")
  is_ours "$pid" || continue
  kill -QUIT "$pid" 2>/dev/null || continue
  waited=0
  while is_ours "$pid"; do
    [ "$waited" -lt 100 ] || kill -KILL "$pid" 2>/dev/null || break
    sleep 0.1
    waited=$((waited + 1))
  done
done
rm -rf "$dir"
