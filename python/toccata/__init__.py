"""The command line of Toccata: prove, count, draw, measure and use MPI collective algorithms."""

from pkgutil import extend_path

# In a checkout, the compiled module is in the build directory, apart from these files.
__path__ = extend_path(__path__, __name__)
