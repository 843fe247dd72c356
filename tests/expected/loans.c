/* A decision tree exported by stakes.
 *
 * int loans_predict(const double *x) returns a class code; loans_classes[code] is its label.
 * Missing values are NaN, in nominal columns also -1. Do not compile with -ffast-math.
 *
 * x[column]:
 *   [0] income: numeric
 *   [1] housing: nominal
 *         0 = own
 *         1 = rent
 *         2 = free
 * Classes:
 *   0 = bad
 *   1 = good
 */
#include <string.h>

const char *const loans_classes[2] = {"bad", "good"};

static const char *const categories_1[3] = {"own", "rent", "free"};
int loans_category(int column, const char *text) {
    const char *const *known = 0;
    int n = 0;
    if (column == 1) { known = categories_1; n = 3; }
    for (int code = 0; code < n; code++)
        if (strcmp(known[code], text) == 0) return code;
    (void)column;
    return -1;
}

static void add(double *p, double weight, const double *values, int n) {
    for (int k = 0; k < n; k++) p[k] += weight * values[k];
}

static void test_number(double x, double threshold, const double *shares, double *b) {
    const int missing = x != x;
    b[0] = missing ? shares[0] : (double)(x <= threshold);
    b[1] = missing ? shares[1] : (double)!(x <= threshold);
}

static void test_value(double x, const int *branches, int n_values, const double *shares,
                       double *b, int n) {
    const int branch = x >= 0 && x < n_values ? branches[(int)x] : -1;
    for (int i = 0; i < n; i++) b[i] = branch < 0 ? shares[i] : (double)(i == branch);
}

static void tree_0(const double *x, double w0, double *p) {
    static const double s0[2] = {0.3191489361702128, 0.6808510638297872};
    double b0[2];
    test_number(x[0], 24.0, s0, b0);
    if (b0[0] > 0) { /* income <= 24 */
        const double w1 = w0 * b0[0];
        static const double q1[2] = {0.8333333333333334, 0.16666666666666666};
        add(p, w1, q1, 2);
    }
    if (b0[1] > 0) { /* income > 24 */
        const double w2 = w0 * b0[1];
        static const double s2[2] = {0.5, 0.5};
        double b2[2];
        test_number(x[0], 60.0, s2, b2);
        if (b2[0] > 0) { /* income <= 60 */
            const double w3 = w2 * b2[0];
            static const double s3[2] = {0.75, 0.25};
            double b3[2];
            static const int v3[3] = {0, 1, 1};
            test_value(x[1], v3, 3, s3, b3, 2);
            if (b3[0] > 0) { /* housing is 'own' */
                const double w5 = w3 * b3[0];
                static const double q5[2] = {0.08333333333333333, 0.9166666666666666};
                add(p, w5, q5, 2);
            }
            if (b3[1] > 0) { /* housing is 'rent' or 'free' */
                const double w6 = w3 * b3[1];
                static const double q6[2] = {0.875, 0.125};
                add(p, w6, q6, 2);
            }
        }
        if (b2[1] > 0) { /* income > 60 */
            const double w4 = w2 * b2[1];
            static const double q4[2] = {0.0, 1.0};
            add(p, w4, q4, 2);
        }
    }
}

void loans_proba(const double *x, double *p) {
    for (int k = 0; k < 2; k++) p[k] = 0;
    tree_0(x, 1.0, p);
}

int loans_predict(const double *x) {
    double p[2], score[2];
    loans_proba(x, p);
    for (int k = 0; k < 2; k++) {
        score[k] = -p[k];
    }
    double best = score[0];
    for (int k = 1; k < 2; k++)
        if (score[k] < best) best = score[k];
    int code = 0;
    while (score[code] > best + 1e-12 * (best < 0 ? -best : best)) code++;
    return code;
}

