# Toccata for Spack, from a checkout: `spack repo add packaging/spack/spack_repo/toccata`,
# then `spack dev-build toccata@0.4.0` in the checkout; docs/installing.md has more.
from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Toccata(CMakePackage):
    """Topology-aware MPI collectives for any MPI program, by a library to be preloaded; algorithms
    that are proved, counted, drawn, predicted and measured from one short file each."""

    license("BSD-3-Clause")

    # There is no archive to fetch yet; dev-build takes the sources from the current folder.
    version("0.4.0")

    variant("command", default=False, description="The command toccata, besides the library")
    variant("plots", default=False, when="+command", description="What draws and fits as well")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("mpi")
    depends_on("hwloc@2:")
    depends_on("nlohmann-json", type="build")
    depends_on("scotch", when="+command")
    with when("+command"):
        depends_on("python@3.11:", type=("build", "run"))
        depends_on("cli11", type="build")
        depends_on("py-nanobind", type="build")
        depends_on("py-docutils", type="build")
        depends_on("py-packaging", type="build")
        depends_on("py-msgspec@0.18:", type="build")  # installs copies of these three
        depends_on("py-rich@13:", type="build")
        depends_on("py-typer@0.29:", type="build")
        depends_on("py-matplotlib", type="build", when="+plots")
        depends_on("py-scipy", type="build", when="+plots")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("TOCCATA_MPI", self.spec["mpi"].mpicc),
            self.define("TOCCATA_BENCH", self.spec.satisfies("+command")),
            self.define("TOCCATA_TESTS", False),
            self.define_from_variant("TOCCATA_PYTHON", "command"),
            self.define_from_variant("TOCCATA_PLOTS", "plots"),
        ]
        if self.spec.satisfies("+command"):
            # Spack's Python replaces a virtual environment: PYTHONPATH contains the packages above.
            args.append(self.define("TOCCATA_VENV", self.spec["python"].prefix))
        return args
